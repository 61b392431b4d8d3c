// One value is explained. Should not trigger.
#ifndef TP_MODE_H_
#define TP_MODE_H_

typedef enum TP_Mode {
  TP_MODE_EAGER = 0,
  TP_MODE_LAZY = 1,
  TP_MODE_TRACED = 2
} TP_Mode;

void TP_SetMode(TP_Mode mode);

#endif  // TP_MODE_H_
