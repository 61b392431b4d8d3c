#if defined __linux__ && defined __has_include_next
#if __has_include_next(<sys/cdefs.h>)
#include_next <sys/cdefs.h>
#endif
#endif
#ifndef __BEGIN_DECLS
#define __BEGIN_DECLS
#define __END_DECLS
#define __P(arguments) arguments
#define __CONCAT(left, right) left##right
#define __STRING(text) #text
#endif
