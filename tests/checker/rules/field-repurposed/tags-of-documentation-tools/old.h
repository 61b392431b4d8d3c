#ifndef EXAMPLE_TAGS_OF_DOCUMENTATION_TOOLS_H_
#define EXAMPLE_TAGS_OF_DOCUMENTATION_TOOLS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct MixChannel {
  size_t struct_size;
  int32_t gain;     /**< Gain in decibels. Optional. 0 is no-op. */
  int32_t pan;      ///< Position. Optional. 0 is no-op.
  /** @brief Rate of the channel (in hertz). */
  int32_t rate;
  int32_t quality;  // Since 1.0. Of the resampler.
} MixChannel;

#endif  // EXAMPLE_TAGS_OF_DOCUMENTATION_TOOLS_H_
