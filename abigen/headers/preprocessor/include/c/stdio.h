#ifndef _ABIGEN_STDIO_H
#define _ABIGEN_STDIO_H
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#if defined _WIN32
typedef struct _iobuf FILE;
typedef long long fpos_t;
#define BUFSIZ 512
#define FILENAME_MAX 260
#define FOPEN_MAX 20
#define L_tmpnam 260
#define TMP_MAX 2147483647
#elif defined __APPLE__
typedef struct __sFILE FILE;
typedef long long fpos_t;
#define BUFSIZ 1024
#define FILENAME_MAX 1024
#define FOPEN_MAX 20
#define L_tmpnam 1024
#define TMP_MAX 308915776
#else
typedef struct _IO_FILE FILE;
typedef struct {
  long __pos;
  struct {
    int __count;
    unsigned int __value;
  } __state;
} fpos_t;
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#endif
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#endif
