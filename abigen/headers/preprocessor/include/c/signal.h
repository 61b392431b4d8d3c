#ifndef _ABIGEN_SIGNAL_H
#define _ABIGEN_SIGNAL_H
#include <sys/types.h>
typedef int sig_atomic_t;
#if defined __APPLE__
typedef unsigned int sigset_t;
typedef struct __siginfo siginfo_t;
#elif !defined _WIN32
typedef struct {
  unsigned long __val[1024 / (8 * sizeof(unsigned long))];
} sigset_t;
typedef struct __abigen_siginfo siginfo_t;
#endif
#ifndef _WIN32
union sigval {
  int sival_int;
  void *sival_ptr;
};
#if defined __APPLE__
#define NSIG 32
struct sigaction {
  union {
    void (*__sa_handler)(int);
    void (*__sa_sigaction)(int, siginfo_t *, void *);
  } __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
#elif defined __linux__ && !defined __ANDROID__ && (defined __x86_64__ || defined __i386__ || defined __aarch64__)
#define NSIG 65
struct sigaction {
  union {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t *, void *);
  } __sigaction_handler;
  sigset_t sa_mask;
  int sa_flags;
  void (*sa_restorer)(void);
};
#endif
#else
#define NSIG 23
#define SIGBREAK 21
#endif
#define SIGINT 2
#define SIGILL 4
#define SIGFPE 8
#define SIGSEGV 11
#define SIGTERM 15
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#ifdef _WIN32
#define SIGABRT 22
#else
#define SIGHUP 1
#define SIGQUIT 3
#define SIGABRT 6
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#endif
#endif
