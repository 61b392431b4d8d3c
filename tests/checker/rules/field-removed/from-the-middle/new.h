// A codec's settings: `quality` goes, and everything behind it moves.
#ifndef CODEC_SETTINGS_H_
#define CODEC_SETTINGS_H_

#include <stddef.h>
#include <stdint.h>

#define CODEC_END_OF(type, member) (offsetof(type, member) + sizeof(((type*)0)->member))

typedef struct CodecSettings {
  size_t struct_size;
  int32_t width;
  int32_t height;
  int64_t bit_rate;
  int64_t frame_count;
} CodecSettings;

#define CODEC_SETTINGS_STRUCT_SIZE CODEC_END_OF(CodecSettings, frame_count)

#endif  // CODEC_SETTINGS_H_
