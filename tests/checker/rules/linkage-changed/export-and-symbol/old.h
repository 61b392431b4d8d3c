// One function is no longer exported, another one has a new name for the linker. Should trigger for both.
#ifndef VISIBLE_H_
#define VISIBLE_H_

#define VISIBLE_API __attribute__((visibility("default")))

VISIBLE_API int visible_count(void);
VISIBLE_API int visible_name(char* buffer, int size);
VISIBLE_API int visible_reset(void);

#endif  // VISIBLE_H_
