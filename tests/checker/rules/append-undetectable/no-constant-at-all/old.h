// Without a constant, people write sizeof. Should trigger.
#ifndef CODEC_H_
#define CODEC_H_

#include <stddef.h>
#include <stdint.h>

typedef struct CodecParams {
  size_t struct_size;
  int64_t bit_rate;
  int32_t channels;
} CodecParams;

int32_t codec_open(const CodecParams* params);

#endif  // CODEC_H_
