// The size that is exchanged is sizeof, and `sample_format` fits into its padding: 24 before, 24 after. Should trigger.
#ifndef CODEC_H_
#define CODEC_H_

#include <stddef.h>
#include <stdint.h>

typedef struct CodecParams {
  size_t struct_size;
  int64_t bit_rate;
  int32_t channels;
  int32_t sample_format;  // 0 is no-op.
} CodecParams;

#define CODEC_PARAMS_SIZE sizeof(CodecParams)

#endif  // CODEC_H_
