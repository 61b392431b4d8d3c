// Objects under other symbols, and hidden ones. Should trigger for each but the last two.
#pragma once

extern int api_depth;
extern int api_width;
__attribute__((visibility("default"))) extern int api_height;
extern int api_length;
int api_run(void);
extern int api_same __asm__("api_same_v1");
__attribute__((visibility("default"))) extern int api_shown;
