// A comment behind a member goes on in the next line, indented deeper than members. Should trigger for that member.
#ifndef REEL_H_
#define REEL_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ReelState {
	size_t struct_size;
	int32_t speed;		// Turns per minute, as
				// measured. Optional. 0 is no-op.
	int32_t length;
	int32_t width;  // In millimetres.
	// Of the core. Optional. 0 is no-op.
	int32_t core;
} ReelState;

#endif  // REEL_H_
