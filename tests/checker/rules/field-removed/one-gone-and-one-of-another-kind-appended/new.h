// Two independent changes: neither may hide the other.
#ifndef AUDIO_SINK_H_
#define AUDIO_SINK_H_

#include <stddef.h>
#include <stdint.h>

#define AUDIO_END_OF(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct AudioSink {
  size_t struct_size;
  void* user_data;
  int32_t (*open)(void* user_data, int32_t sample_rate);
  int32_t (*write)(void* user_data, const float* samples, size_t count);
  int32_t (*close)(void* user_data);
  double gain;  // 0 is no-op.
  int64_t latency_ns;  // 0 is no-op.
} AudioSink;

#define AUDIO_SINK_STRUCT_SIZE AUDIO_END_OF(AudioSink, latency_ns)

#endif  // AUDIO_SINK_H_
