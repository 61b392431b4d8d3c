#ifndef _ABIGEN_DIRENT_H
#define _ABIGEN_DIRENT_H
#include <sys/types.h>
typedef struct __dirstream DIR;
struct dirent;
#if defined __APPLE__ && defined __LP64__
struct dirent {
  ino_t d_ino;
  unsigned long long d_seekoff;
  unsigned short d_reclen;
  unsigned short d_namlen;
  unsigned char d_type;
  char d_name[1024];
};
#elif defined __linux__ && defined __LP64__
struct dirent {
  ino_t d_ino;
  off_t d_off;
  unsigned short d_reclen;
  unsigned char d_type;
  char d_name[256];
};
#endif
#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_BLK 6
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12
#endif
