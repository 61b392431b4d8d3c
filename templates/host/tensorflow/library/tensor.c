// tf_datatype.h, tf_tensor.h and tf_buffer.h.

#include "internal.h"

enum { kAlignment = 64 };  // bytes; what vector instructions of common processors like best

// Data that tensors share.
typedef struct Data {
  atomic_int owners;
  void* address;
  size_t size;
  bool on_host;
  void (*deallocate)(void* memory, void* data, size_t size);  // one of these two
  void (*deallocator)(void* data, size_t size, void* argument);
  void* argument;
} Data;

struct TF_Tensor {
  TF_DataType type;
  int num_dims;
  int64_t* dims;
  Data* data;
};

static _Atomic int64_t live_tensors;
static _Atomic int64_t overruns;
static _Atomic unsigned allocations;

size_t TF_DataTypeSize(TF_DataType type) {
  switch (type) {
    case TF_COMPLEX128:
      return 16;
    case TF_DOUBLE: case TF_INT64: case TF_UINT64: case TF_COMPLEX64:
      return 8;
    case TF_FLOAT: case TF_INT32: case TF_UINT32: case TF_QINT32:
      return 4;
    case TF_HALF: case TF_BFLOAT16: case TF_INT16: case TF_UINT16: case TF_QINT16: case TF_QUINT16:
      return 2;
    case TF_BOOL: case TF_INT8: case TF_UINT8: case TF_QINT8: case TF_QUINT8:
    case TF_INT4: case TF_UINT4: case TF_INT2: case TF_UINT2:
    case TF_FLOAT8_E5M2: case TF_FLOAT8_E4M3FN: case TF_FLOAT8_E4M3FNUZ: case TF_FLOAT8_E4M3B11FNUZ:
    case TF_FLOAT8_E5M2FNUZ: case TF_FLOAT4_E2M1FN:
      return 1;
    default:
      return 0;
  }
}

int64_t CountElements(const int64_t* dims, int num_dims) {
  int64_t count = 1;
  bool empty = false;
  for (int i = 0; i < num_dims; ++i) {
    if (dims[i] < 0) {
      return -1;
    }
    empty = empty || dims[i] == 0;
  }
  for (int i = 0; i < num_dims && !empty; ++i) {
    if (__builtin_mul_overflow(count, dims[i], &count)) {
      return -1;
    }
  }
  return empty ? 0 : count;
}

// The bytes that a tensor takes; false when that is no number, as with strings or a negative dimension.
static bool SizeOf(TF_DataType type, const int64_t* dims, int num_dims, size_t* size) {
  int64_t count = CountElements(dims, num_dims);
  size_t element = TF_DataTypeSize(type);
  return count >= 0 && element > 0 && !__builtin_mul_overflow((size_t)count, element, size) && *size < SIZE_MAX / 2;
}

static TF_Tensor* NewTensor(TF_DataType type, const int64_t* dims, int num_dims, Data* data) {
  TF_Tensor* tensor = Allocate(sizeof(TF_Tensor));
  *tensor = (TF_Tensor){type, num_dims, Allocate((size_t)num_dims * sizeof(int64_t)), data};
  if (num_dims) {
    memcpy(tensor->dims, dims, (size_t)num_dims * sizeof(int64_t));
  }
  atomic_fetch_add(&data->owners, 1);
  atomic_fetch_add(&live_tensors, 1);
  return tensor;
}

static void Release(Data* data) {
  if (atomic_fetch_sub(&data->owners, 1) != 1) {
    return;
  }
  if (data->deallocate != NULL) {
    data->deallocate(data->argument, data->address, data->size);
  } else if (data->deallocator != NULL) {
    data->deallocator(data->address, data->size, data->argument);
  }
  free(data);
}

// What stands before and behind the data of tensors that this library allocates, for finding out who writes there.
enum { kMargin = kAlignment, kMarginByte = 0xC3 };

static void FreeOwn(void* data, size_t size, void* argument) {
  (void)argument;
  const unsigned char* begin = (const unsigned char*)data - kMargin;
  bool whole = true;
  for (size_t i = 0; i < kMargin; ++i) {
    whole = whole && begin[i] == kMarginByte && begin[kMargin + size + i] == kMarginByte;
  }
  if (!whole) {
    atomic_fetch_add(&overruns, 1);
  }
  free((void*)begin);
}

TF_Tensor* TF_NewTensor(TF_DataType type, const int64_t* dims, int num_dims, void* address, size_t size,
                        void (*deallocator)(void* data, size_t len, void* arg), void* argument) {
  size_t needed = 0;
  bool known = TF_DataTypeSize(type) > 0;
  if (num_dims < 0 || CountElements(dims, num_dims) < 0 ||
      (known && (!SizeOf(type, dims, num_dims, &needed) || size < needed))) {
    if (deallocator != NULL) {
      deallocator(address, size, argument);
    }
    return NULL;
  }
  Data* data = AllocateZeroed(1, sizeof(Data));
  data->address = address;
  data->size = size;
  data->on_host = true;
  data->deallocator = deallocator;
  data->argument = argument;
  return NewTensor(type, dims, num_dims, data);
}

TF_Tensor* abigen_core_device_tensor(int type, const int64_t* dims, int num_dims, void* address, size_t size,
                                     void (*deallocate)(void* memory, void* data, size_t size), void* memory) {
  size_t needed = 0;
  if (num_dims < 0 || !SizeOf((TF_DataType)type, dims, num_dims, &needed) || size < needed) {
    return NULL;
  }
  Data* data = AllocateZeroed(1, sizeof(Data));
  data->address = address;
  data->size = size;
  data->deallocate = deallocate;
  data->argument = memory;
  return NewTensor((TF_DataType)type, dims, num_dims, data);
}

TF_Tensor* AllocateTensorOnDevice(TF_DataType type, const int64_t* dims, int num_dims, const abigen_core_step* step) {
  size_t size = 0;
  if (num_dims < 0 || !SizeOf(type, dims, num_dims, &size)) {
    return NULL;
  }
  void* address = step->allocate(step->memory, size);
  if (address == NULL && size > 0) {
    return NULL;
  }
  return abigen_core_device_tensor((int)type, dims, num_dims, address, size, step->deallocate, step->memory);
}

size_t TF_TensorDefaultAlignment(void) { return kAlignment; }

TF_Tensor* TF_AllocateTensor(TF_DataType type, const int64_t* dims, int num_dims, size_t size) {
  size_t rounded = (size / kAlignment + 1) * kAlignment;
  unsigned char* begin = aligned_alloc(kAlignment, rounded + 2 * kMargin);
  if (begin == NULL) {
    return NULL;
  }
  memset(begin, kMarginByte, kMargin);
  memset(begin + kMargin, (int)(atomic_fetch_add(&allocations, 1) % 251), size);  // nobody may count on what it was
  memset(begin + kMargin + size, kMarginByte, kMargin);
  return TF_NewTensor(type, dims, num_dims, begin + kMargin, size, FreeOwn, NULL);
}

TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor) {
  if (atomic_load(&tensor->data->owners) != 1) {
    return NULL;
  }
  TF_Tensor* moved = ShareTensor(tensor);
  TF_DeleteTensor(tensor);
  return moved;
}

TF_Tensor* ShareTensor(const TF_Tensor* tensor) {
  return NewTensor(tensor->type, tensor->dims, tensor->num_dims, tensor->data);
}

TF_Tensor* ReuseTensor(const TF_Tensor* tensor, TF_DataType type, const int64_t* dims, int num_dims, bool on_host) {
  bool same = tensor->type == type && tensor->data->on_host == on_host &&
              CountElements(dims, num_dims) == TF_TensorElementCount(tensor);
  return same && atomic_load(&tensor->data->owners) == 1 ? NewTensor(type, dims, num_dims, tensor->data) : NULL;
}

void TF_DeleteTensor(TF_Tensor* tensor) {
  if (tensor != NULL) {
    Release(tensor->data);
    free(tensor->dims);
    free(tensor);
    atomic_fetch_sub(&live_tensors, 1);
  }
}

TF_DataType TF_TensorType(const TF_Tensor* tensor) { return tensor->type; }
int TF_NumDims(const TF_Tensor* tensor) { return tensor->num_dims; }
size_t TF_TensorByteSize(const TF_Tensor* tensor) {
  size_t size = 0;
  return SizeOf(tensor->type, tensor->dims, tensor->num_dims, &size) ? size : tensor->data->size;
}
void* TF_TensorData(const TF_Tensor* tensor) { return tensor->data->address; }
int64_t TF_TensorElementCount(const TF_Tensor* tensor) { return CountElements(tensor->dims, tensor->num_dims); }
bool TF_TensorIsAligned(const TF_Tensor* tensor) { return (uintptr_t)tensor->data->address % kAlignment == 0; }
int abigen_core_is_on_host(const TF_Tensor* tensor) { return tensor->data->on_host; }
int64_t abigen_core_overruns(void) { return atomic_load(&overruns); }
int64_t abigen_core_live_tensors(void) { return atomic_load(&live_tensors); }

int64_t TF_Dim(const TF_Tensor* tensor, int index) {
  if (index < 0 || index >= tensor->num_dims) {
    Die("TF_Dim", "there is no dimension %d in a tensor of %d", index, tensor->num_dims);
  }
  return tensor->dims[index];
}

void TF_SetShape(TF_Tensor* tensor, const int64_t* dims, int num_dims) {
  int64_t* copy = Allocate((size_t)num_dims * sizeof(int64_t));
  if (num_dims) {
    memcpy(copy, dims, (size_t)num_dims * sizeof(int64_t));
  }
  free(tensor->dims);
  tensor->dims = copy;
  tensor->num_dims = num_dims;
}

void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type, TF_Tensor* to, const int64_t* dims, int num_dims,
                          TF_Status* status) {
  size_t old_size = 0;
  size_t new_size = 0;
  if (!SizeOf(from->type, from->dims, from->num_dims, &old_size) || !SizeOf(type, dims, num_dims, &new_size)) {
    Fail(status, TF_INVALID_ARGUMENT, "cannot view data type %d as data type %d: both need a fixed size",
         (int)from->type, (int)type);
    return;
  }
  if (old_size != new_size) {
    Fail(status, TF_INVALID_ARGUMENT, "cannot view %zu bytes as %zu bytes", old_size, new_size);
    return;
  }
  atomic_fetch_add(&from->data->owners, 1);
  Release(to->data);
  to->data = from->data;
  to->type = type;
  TF_SetShape(to, dims, num_dims);
  Succeed(status);
}

static void FreeBlock(void* data, size_t length) {
  (void)length;
  free(data);
}

TF_Buffer* TF_NewBuffer(void) { return AllocateZeroed(1, sizeof(TF_Buffer)); }

TF_Buffer* TF_NewBufferFromString(const void* proto, size_t size) {
  TF_Buffer* buffer = TF_NewBuffer();
  void* copy = Allocate(size);
  if (size) {
    memcpy(copy, proto, size);
  }
  *buffer = (TF_Buffer){copy, size, FreeBlock};
  return buffer;
}

void TF_DeleteBuffer(TF_Buffer* buffer) {
  if (buffer != NULL) {
    if (buffer->data_deallocator != NULL) {
      buffer->data_deallocator((void*)buffer->data, buffer->length);
    }
    free(buffer);
  }
}

TF_Buffer TF_GetBuffer(TF_Buffer* buffer) { return *buffer; }
