// should not trigger: all that the header has declared comes from another one, or stands here.
#include "old_tree.h"
int Toy_Parse(const char* text);
