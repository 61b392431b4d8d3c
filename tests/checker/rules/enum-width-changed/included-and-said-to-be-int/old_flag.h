#ifndef OLD_FLAG_H_
#define OLD_FLAG_H_
typedef enum { FLAG_OFF = 0, FLAG_ON } Flag;
#endif  // OLD_FLAG_H_
