// Marks written as tags, in brackets, or in another place of the comment are no new words. Should not trigger.
#ifndef EXAMPLE_TAGS_OF_DOCUMENTATION_TOOLS_H_
#define EXAMPLE_TAGS_OF_DOCUMENTATION_TOOLS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct MixChannel {
  size_t struct_size;
  int32_t gain;     /**< @deprecated Gain in decibels. Optional. 0 is no-op. */
  int32_t pan;      ///< Position. [Optional] 0 is no-op. (deprecated)
  /// Rate of the channel [in hertz].
  int32_t rate;
  int32_t quality;  // Of the resampler. @since 1.0
} MixChannel;

#endif  // EXAMPLE_TAGS_OF_DOCUMENTATION_TOOLS_H_
