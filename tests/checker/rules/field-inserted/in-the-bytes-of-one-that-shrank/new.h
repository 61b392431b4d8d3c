// Two numbers become bits, and new members lie where the second one was, and in the hole behind it.
#ifndef PIPE_H_
#define PIPE_H_

typedef struct Pipe {
  int version;
  unsigned int encrypted : 1;
  unsigned int proxied : 1;
  int timeout;
  int patience;
  void* next;
} Pipe;

#endif  // PIPE_H_
