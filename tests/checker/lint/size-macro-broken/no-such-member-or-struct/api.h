// A member that got another name, structs that are not there, by typedef and by tag. Should trigger for each.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  void* device_handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_OFFSET_OF_END(SP_Device, gone)


typedef struct TP_Buffer {
  size_t struct_size;
  void* ext;
  void* data;
} TP_Buffer;

enum { TP_BUFFER_STRUCT_SIZE = TP_OFFSET_OF_END(TP_Buffer, data) };
#define SP_STREAM_STRUCT_SIZE TP_OFFSET_OF_END(SP_Stream, last)
#define SP_EVENT_STRUCT_SIZE TP_OFFSET_OF_END(struct SP_Event_st, last)

#endif  // TP_DEVICE_H_
