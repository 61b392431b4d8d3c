// No struct of this header carries its size, by design. Should not trigger.
#ifndef TENSOR_X_H_
#define TENSOR_X_H_

#include <stdint.h>

typedef struct {
  int32_t device_type;
  int32_t device_id;
} TXDevice;

typedef struct TXTensor {
  void* data;
  TXDevice device;
  int32_t ndim;
  uint32_t flags;
  int64_t* shape;
} TXTensor;

typedef struct TXManagedTensor {
  TXTensor tensor;
  void* manager_context;
  void (*deleter)(struct TXManagedTensor* self);
} TXManagedTensor;

#endif  // TENSOR_X_H_
