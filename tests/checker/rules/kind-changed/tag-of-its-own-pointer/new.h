// A typedef for the pointer is called as the tag is; another function came. Should not trigger.
#ifndef LANE_H_
#define LANE_H_

typedef struct Lane {
  long begin;
  long end;
} *Lane;

void Lane_Start(Lane lane);
void Lane_Stop(Lane lane);

#endif  // LANE_H_
