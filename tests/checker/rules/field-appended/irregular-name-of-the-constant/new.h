// The constant's name does not follow from the struct's; the type that it names does. Should not be called stale or wrong.
#ifndef TP_EXECUTOR_H_
#define TP_EXECUTOR_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_Stream_st* SP_Stream;

typedef struct SP_Stream_Executor_Options {
  size_t struct_size;
  int64_t limit;
} SP_Stream_Executor_Options;

#define SP_STREAM_EXECUTOR_OPTIONS_SIZE TP_OFFSET_OF_END(SP_Stream_Executor_Options, limit)

typedef struct SP_StreamExecutor {
  size_t struct_size;
  void* ext;
  void (*create_stream)(SP_Stream* stream);
  void (*destroy_stream)(SP_Stream stream);
  void (*get_stream_status)(SP_Stream stream, int32_t* status);  // NULL is no-op.
} SP_StreamExecutor;

#define SP_STREAMEXECUTOR_STRUCT_SIZE TP_OFFSET_OF_END(SP_StreamExecutor, get_stream_status)

#endif  // TP_EXECUTOR_H_
