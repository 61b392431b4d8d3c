#include "not/here.h"
int a(void);
