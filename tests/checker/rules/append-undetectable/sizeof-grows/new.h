// The new member does not fit into the padding, so sizeof grows from 24 to 32. Should not trigger.
#ifndef CODEC_H_
#define CODEC_H_

#include <stddef.h>
#include <stdint.h>

typedef struct CodecParams {
  size_t struct_size;
  int64_t bit_rate;
  int32_t channels;
  int64_t duration_ns;  // 0 is no-op.
} CodecParams;

#define CODEC_PARAMS_SIZE sizeof(CodecParams)

#endif  // CODEC_H_
