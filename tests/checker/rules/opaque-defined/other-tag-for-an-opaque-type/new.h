// `typedef struct New Old;`: another tag behind the same opaque name. Should not trigger.
#ifndef STAT_H_
#define STAT_H_

typedef struct TSL_Status TP_Status;

TP_Status* TP_NewStatus(void);
void TP_DeleteStatus(TP_Status* status);

#endif  // STAT_H_
