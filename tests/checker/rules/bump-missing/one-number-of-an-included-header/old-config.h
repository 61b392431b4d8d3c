#pragma once

/* What the build writes. */
#define BASE_VERSION 0x01000009
#define TOY_OTHER_VERSION 0x7
