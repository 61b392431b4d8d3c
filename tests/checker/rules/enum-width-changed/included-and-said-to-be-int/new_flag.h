#ifndef NEW_FLAG_H_
#define NEW_FLAG_H_
typedef enum : int { FLAG_OFF = 0, FLAG_ON } Flag;
#endif  // NEW_FLAG_H_
