#pragma once

#define TOY_MAJOR 2
#define TOY_MINOR 0

/* The part that draws has a number of its own. */
#define TOY_DRAWING_VERSION 4
#define TOY_BUILT_FROM "2025-01-31 09:30:00 c3d4"
#define TOY_CHECKSUM "ffeeddccbbaa99887766554433221100"

#define TOY_VERB_OPEN 100
#define TOY_VERB_CLOSE 101
#define TOY_VERB_MOVE 102
#define TOY_VERB_MAX 102

#define TOY_NAME_MAX 64
#define TOY_NO_HANDLE ((void*)0)
#define TOY_WIRE_VERSION 6
