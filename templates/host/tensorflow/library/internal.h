// What the files of the library share.

#ifndef ABIGEN_CORE_INTERNAL_H_
#define ABIGEN_CORE_INTERNAL_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Everything is compiled as hidden; what these headers declare is what plugins and the core link against.
#pragma GCC visibility push(default)
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#include "core.h"
#pragma GCC visibility pop

// A list of pointers that grows.
typedef struct List {
  void** items;
  size_t size;
  size_t room;
} List;

void ListAdd(List* list, void* item);
void ListDelete(List* list, void (*delete_item)(void*));

// Memory that is never NULL: without memory the process ends with a message.
void* Allocate(size_t size);
void* AllocateZeroed(size_t count, size_t size);
char* CopyText(const char* text);

// Ends the process, where the API leaves no way to report a mistake of the caller.
_Noreturn void Die(const char* function, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// Stores a code and a message written as by printf.
void Fail(TF_Status* status, TF_Code code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void Succeed(TF_Status* status);
TF_Status* CopyStatus(const TF_Status* status);

// The number of elements of a shape; -1 when a dimension is negative or the product too large.
int64_t CountElements(const int64_t* dims, int num_dims);

// A tensor that shares the data of another.
TF_Tensor* ShareTensor(const TF_Tensor* tensor);
TF_Tensor* AllocateTensorOnDevice(TF_DataType type, const int64_t* dims, int num_dims, const abigen_core_step* step);

// A new tensor of another shape when nothing else shares the data, NULL otherwise.
TF_Tensor* ReuseTensor(const TF_Tensor* tensor, TF_DataType type, const int64_t* dims, int num_dims, bool on_host);

const abigen_core_attribute* FindAttribute(const abigen_core_node* node, const char* name);

// The attribute with this name and kind; otherwise fails and returns NULL.
const abigen_core_attribute* NeedAttribute(const abigen_core_node* node, const char* name, TF_AttrType type,
                                           bool is_list, TF_Status* status);

#endif  // ABIGEN_CORE_INTERNAL_H_
