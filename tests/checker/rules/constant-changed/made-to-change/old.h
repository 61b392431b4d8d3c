#pragma once

#define TOY_MAJOR 1
#define TOY_MINOR 4

/* The part that draws has a number of its own. */
#define TOY_DRAWING_VERSION 3
#define TOY_BUILT_FROM "2024-03-01 10:00:00 a1b2"
#define TOY_CHECKSUM "00112233445566778899aabbccddeeff"

#define TOY_VERB_OPEN 100
#define TOY_VERB_CLOSE 101
#define TOY_VERB_MAX 101

#define TOY_NAME_MAX 32
#define TOY_NO_HANDLE 0
#define TOY_WIRE_VERSION 7
