/* Functions for JAX, each with one mistake, but for the first. FAULT chooses further ones that take time. */

#include <sched.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

#define HANDLER(name) XLA_FFI_Error* name(XLA_FFI_CallFrame* frame)
#define SIZE XLA_FFI_Error_Create_Args_STRUCT_SIZE

static int asks(XLA_FFI_CallFrame* frame, int major) {
  XLA_FFI_Metadata* metadata;
  if (frame->extension_start == NULL) return 0;
  metadata = ((XLA_FFI_Metadata_Extension*)frame->extension_start)->metadata;
  metadata->api_version.major_version = major;
  metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return 1;
}

static XLA_FFI_Error* error(XLA_FFI_CallFrame* frame, const char* text, XLA_FFI_Error_Code code, size_t size) {
  XLA_FFI_Error_Create_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = size;
  args.message = text;
  args.errc = code;
  return frame->api->XLA_FFI_Error_Create(&args);
}

static int elements(const XLA_FFI_Buffer* buffer) {
  int count = 1;
  for (int at = 0; at < buffer->rank; ++at) count *= (int)buffer->dims[at];
  return count;
}

HANDLER(copies) {
  const XLA_FFI_Buffer *from, *to;
  if (asks(frame, XLA_FFI_API_MAJOR)) return NULL;
  if (frame->args.size != 1 || frame->rets.size != 1) {
    return error(frame, "it takes one array", XLA_FFI_Error_Code_INVALID_ARGUMENT, SIZE);
  }
  from = frame->args.args[0];
  to = frame->rets.rets[0];
  if (from->dtype != XLA_FFI_DataType_F32 || to->dtype != from->dtype || elements(from) != elements(to)) {
    return error(frame, "it takes arrays of F32", XLA_FFI_Error_Code_INVALID_ARGUMENT, SIZE);
  }
  memcpy(to->data, from->data, 4 * (size_t)elements(from));
  return NULL;
}

HANDLER(mixes_threads) {
  static char kept[1 << 20];
  const XLA_FFI_Buffer *from, *to;
  if (asks(frame, XLA_FFI_API_MAJOR)) return NULL;
  if (frame->args.size != 1 || frame->rets.size != 1) {
    return error(frame, "it takes one array", XLA_FFI_Error_Code_INVALID_ARGUMENT, SIZE);
  }
  from = frame->args.args[0];
  to = frame->rets.rets[0];
  if (from->dtype != XLA_FFI_DataType_F32 || to->dtype != from->dtype || elements(from) != elements(to)) {
    return error(frame, "it takes arrays of F32", XLA_FFI_Error_Code_INVALID_ARGUMENT, SIZE);
  }
  memcpy(kept, from->data, 4 * (size_t)elements(from));
  sched_yield();  /* another thread comes in between */
  memcpy(to->data, kept, 4 * (size_t)elements(from));
  return NULL;
}

HANDLER(copies_anything) {
  if (asks(frame, XLA_FFI_API_MAJOR)) return NULL;
  *(char*)((XLA_FFI_Buffer*)frame->rets.rets[0])->data = *(char*)((XLA_FFI_Buffer*)frame->args.args[0])->data;
  return NULL;
}

HANDLER(is_of_the_next_major) {
  (void)asks(frame, XLA_FFI_API_MAJOR + 1);
  return NULL;
}

HANDLER(returns_text) { return asks(frame, XLA_FFI_API_MAJOR) ? NULL : (XLA_FFI_Error*)"wrong"; }

HANDLER(loses_errors) {
  if (!asks(frame, XLA_FFI_API_MAJOR)) (void)error(frame, "lost", XLA_FFI_Error_Code_INTERNAL, SIZE);
  return NULL;
}

HANDLER(says_all_is_well) {
  return asks(frame, XLA_FFI_API_MAJOR) ? NULL : error(frame, "well", XLA_FFI_Error_Code_OK, SIZE);
}

HANDLER(says_nothing) {
  return asks(frame, XLA_FFI_API_MAJOR) ? NULL : error(frame, NULL, XLA_FFI_Error_Code_INTERNAL, SIZE);
}

HANDLER(has_no_size) {
  return asks(frame, XLA_FFI_API_MAJOR) ? NULL : error(frame, "size", XLA_FFI_Error_Code_INTERNAL, 0);
}

HANDLER(writes_arguments) {
  if (!asks(frame, XLA_FFI_API_MAJOR) && frame->args.size > 0) {
    XLA_FFI_Buffer* first = frame->args.args[0];
    if (elements(first) > 0) *(char*)first->data ^= 1;
  }
  return NULL;
}

HANDLER(writes_the_frame) {
  if (!asks(frame, XLA_FFI_API_MAJOR)) frame->args.size = 7;
  return NULL;
}

HANDLER(writes_too_much) {
  if (!asks(frame, XLA_FFI_API_MAJOR) && frame->rets.size > 0) {
    memset(((XLA_FFI_Buffer*)frame->rets.rets[0])->data, 0, 40);
  }
  return NULL;
}

#ifdef HANGS
HANDLER(hangs) {
  for (volatile int busy = !asks(frame, XLA_FFI_API_MAJOR) && frame->args.size == 2; busy;) continue;
  return NULL;
}
#endif

int twice(int number) { return 2 * number; }
