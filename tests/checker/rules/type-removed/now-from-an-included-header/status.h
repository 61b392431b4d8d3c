#ifndef STATUS_H_
#define STATUS_H_

typedef struct TP_Status TP_Status;

#endif  // STATUS_H_
