// The bytes have a name, and a struct without a size is none of this rule's business. Should not trigger.
#ifndef PAD_H_
#define PAD_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PadDevice {
  size_t struct_size;
  int32_t ordinal;
  uint32_t reserved0;
  void* handle;
} PadDevice;

typedef struct PadRecord {
  uint8_t kind;
  uint32_t length;
} PadRecord;

#ifdef __cplusplus
extern "C" {
#endif

void pad_write(PadRecord record);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // PAD_H_
