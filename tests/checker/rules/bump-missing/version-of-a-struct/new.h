#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The state of one struct, which carries it. No version of this header: should not trigger. */
#define TOY_STREAM_VERSION 1

typedef struct toy_stream {
  int version;
  int encrypted;
} toy_stream;

int toy_stream_register(const toy_stream* stream);
int toy_stream_count(void);

#ifdef __cplusplus
}
#endif
