#ifndef _ABIGEN_TERMIOS_H
#define _ABIGEN_TERMIOS_H
typedef unsigned char cc_t;
struct termios;
#if defined __APPLE__
typedef unsigned long tcflag_t;
typedef unsigned long speed_t;
#define NCCS 20
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_cc[NCCS];
  speed_t c_ispeed;
  speed_t c_ospeed;
};
#elif defined __linux__
typedef unsigned int tcflag_t;
typedef unsigned int speed_t;
#if defined __x86_64__ || defined __i386__ || defined __aarch64__
#ifdef __ANDROID__
#define NCCS 19
#else
#define NCCS 32
#endif
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_line;
  cc_t c_cc[NCCS];
#ifndef __ANDROID__
  speed_t c_ispeed;
  speed_t c_ospeed;
#endif
};
#endif
#endif
#endif
