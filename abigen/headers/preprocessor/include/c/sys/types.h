#ifndef _ABIGEN_SYS_TYPES_H
#define _ABIGEN_SYS_TYPES_H
#include <stddef.h>
#ifdef _WIN32
typedef long long __time64_t;
typedef long long time_t;
typedef long off_t;
typedef unsigned int dev_t;
typedef unsigned short ino_t;
#ifndef _MSC_VER
typedef __PTRDIFF_TYPE__ ssize_t;
typedef unsigned short mode_t;
typedef __PTRDIFF_TYPE__ pid_t;
#endif
#else
typedef __PTRDIFF_TYPE__ ssize_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int id_t;
typedef long time_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef char *caddr_t;
typedef int key_t;
typedef __UINT8_TYPE__ u_int8_t;
typedef __UINT16_TYPE__ u_int16_t;
typedef __UINT32_TYPE__ u_int32_t;
typedef __UINT64_TYPE__ u_int64_t;
#ifdef __APPLE__
typedef long long off_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef int dev_t;
typedef unsigned long long ino_t;
typedef int blksize_t;
typedef long long blkcnt_t;
typedef int suseconds_t;
typedef unsigned int fsblkcnt_t;
typedef unsigned int fsfilcnt_t;
typedef unsigned int useconds_t;
typedef unsigned long clock_t;
#else
#if defined __linux__ && !defined __ANDROID__ && !defined __LP64__ && _FILE_OFFSET_BITS == 64
typedef long long off_t;
typedef unsigned long long ino_t;
typedef long long blkcnt_t;
typedef unsigned long long fsblkcnt_t;
typedef unsigned long long fsfilcnt_t;
#else
typedef long off_t;
typedef unsigned long ino_t;
typedef long blkcnt_t;
typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;
#endif
typedef unsigned int mode_t;
#if defined __linux__ && (defined __aarch64__ || defined __riscv)
typedef unsigned int nlink_t;
typedef int blksize_t;
#else
typedef unsigned long nlink_t;
typedef long blksize_t;
#endif
#ifdef __LP64__
typedef unsigned long dev_t;
#else
typedef unsigned long long dev_t;
#endif
typedef long suseconds_t;
typedef unsigned int useconds_t;
typedef long clock_t;
typedef int clockid_t;
typedef void *timer_t;
typedef long long loff_t;
#endif
#endif
#endif
