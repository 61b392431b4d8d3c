// One of the two moved, and moves the other. Should trigger once.
#ifndef EXAMPLE_NEIGHBOURS_EXCHANGED_H_
#define EXAMPLE_NEIGHBOURS_EXCHANGED_H_

typedef enum TrackSide { TRACK_RIGHT, TRACK_LEFT, TRACK_BOTH } TrackSide;

#endif  // EXAMPLE_NEIGHBOURS_EXCHANGED_H_
