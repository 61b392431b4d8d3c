// The tag stays, and the typedef of the same name becomes a number.
#ifndef LANE_H_
#define LANE_H_

struct Lane {
  long begin;
  long end;
};
typedef int Lane;

#endif  // LANE_H_
