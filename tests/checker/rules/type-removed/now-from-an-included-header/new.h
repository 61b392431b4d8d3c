// The handle was declared here and now comes with an #include: code that uses it sees no difference. Should not trigger.
#ifndef TP_INIT_H_
#define TP_INIT_H_

#include "status.h"

void TP_InitPlugin(TP_Status* status);

#endif  // TP_INIT_H_
