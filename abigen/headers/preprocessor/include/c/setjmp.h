#ifndef _ABIGEN_SETJMP_H
#define _ABIGEN_SETJMP_H
#if defined _WIN64
typedef struct {
  unsigned long long __part[2];
} jmp_buf[16];
#elif defined _WIN32
typedef int jmp_buf[16];
#elif defined __APPLE__ && defined __aarch64__
typedef int jmp_buf[48];
#elif defined __APPLE__
typedef int jmp_buf[37];
#elif defined __linux__ && (defined __x86_64__ || defined __i386__ || defined __aarch64__ || defined __arm__)
struct __jmp_buf_tag {
#if defined __x86_64__
  long __registers[8];
#elif defined __i386__
  int __registers[6];
#elif defined __aarch64__
  unsigned long long __registers[22];
#else
  int __registers[64] __attribute__((__aligned__(8)));
#endif
  int __mask_was_saved;
  struct {
    unsigned long __val[1024 / (8 * sizeof(unsigned long))];
  } __saved_mask;
};
typedef struct __jmp_buf_tag jmp_buf[1];
#endif
#endif
