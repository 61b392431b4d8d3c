// The tag stays, and the typedef of the same name becomes a number.
#ifndef LANE_H_
#define LANE_H_

typedef struct Lane {
  long begin;
  long end;
} Lane;

#endif  // LANE_H_
