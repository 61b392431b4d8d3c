// Objects under other symbols, and hidden ones. Should trigger for each but the last two.
#pragma once

extern int api_depth __asm__("api_depth_v2");
extern int api_width __attribute__((visibility("hidden")));
extern int api_height;
#pragma redefine_extname api_length api_length_v2
extern int api_length;
#pragma redefine_extname api_run api_run_v2
int api_run(void);
#pragma redefine_extname api_same api_same_v1
extern int api_same;
extern int api_shown;
extern int api_shown __attribute__((visibility("default")));
