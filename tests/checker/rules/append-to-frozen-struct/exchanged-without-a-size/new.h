// No size travels with the tensor, so the other side cannot see that it grew. Should trigger.
#ifndef TENSOR_EXCHANGE_H_
#define TENSOR_EXCHANGE_H_

#include <stdint.h>

typedef struct {
  int32_t device_type;
  int32_t device_id;
} TXDevice;

typedef struct TXTensor {
  void* data;
  TXDevice device;
  int32_t ndim;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} TXTensor;

#endif  // TENSOR_EXCHANGE_H_
