// Two numbers become bits, and new members lie where the second one was, and in the hole behind it.
#ifndef PIPE_H_
#define PIPE_H_

typedef struct Pipe {
  int version;
  int encrypted;
  int proxied;
  void* next;
} Pipe;

#endif  // PIPE_H_
