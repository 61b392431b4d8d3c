#include <pthread.h>
#include <sys/types.h>
#include <sys/stat.h>
struct S { pthread_mutex_t m; pthread_t t; ssize_t n; struct stat st; off_t o; };
