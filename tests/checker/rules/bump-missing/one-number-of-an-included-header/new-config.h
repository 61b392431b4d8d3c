#pragma once

/* What the build writes. */
#define BASE_VERSION 0x02000000
#define TOY_OTHER_VERSION 0x7
