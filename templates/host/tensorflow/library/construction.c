// What a kernel can learn while it is created: its node and the node's attributes.

#include "internal.h"

struct TF_OpKernelConstruction {
  const abigen_core_node* node;
  TF_Status* failure;
};

TF_OpKernelConstruction* abigen_core_new_construction(const abigen_core_node* node) {
  TF_OpKernelConstruction* construction = Allocate(sizeof(TF_OpKernelConstruction));
  *construction = (TF_OpKernelConstruction){node, NULL};
  return construction;
}

void abigen_core_delete_construction(TF_OpKernelConstruction* construction) {
  TF_DeleteStatus(construction->failure);
  free(construction);
}

const TF_Status* abigen_core_construction_failure(const TF_OpKernelConstruction* construction) {
  return construction->failure;
}

void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction* ctx, TF_Status* status) {
  TF_DeleteStatus(ctx->failure);
  ctx->failure = CopyStatus(status);
}

TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction* ctx) {
  return (TF_StringView){ctx->node->name, strlen(ctx->node->name)};
}

TF_Buffer* TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction* ctx, TF_Status* status) {
  Succeed(status);
  return TF_NewBufferFromString(ctx->node->serialized, ctx->node->serialized_size);
}

const abigen_core_attribute* FindAttribute(const abigen_core_node* node, const char* name) {
  for (size_t i = 0; i < node->num_attributes; ++i) {
    if (strcmp(node->attributes[i].name, name) == 0) {
      return &node->attributes[i];
    }
  }
  return NULL;
}

static const char* NameOfType(int type) {
  static const char* const names[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "placeholder", "func"};
  return type >= 0 && type < (int)(sizeof names / sizeof names[0]) ? names[type] : "unknown";
}

const abigen_core_attribute* NeedAttribute(const abigen_core_node* node, const char* name, TF_AttrType type,
                                           bool is_list, TF_Status* status) {
  const abigen_core_attribute* attribute = FindAttribute(node, name);
  if (attribute == NULL) {
    Fail(status, TF_NOT_FOUND, "op %s has no attribute \"%s\"", node->op, name);
    return NULL;
  }
  // An empty list has no elements that could be of another type.
  bool same_type = attribute->type == (int)type || (attribute->is_list && is_list && attribute->count == 0);
  if (!same_type || !attribute->is_list != !is_list) {
    Fail(status, TF_INVALID_ARGUMENT, "attribute \"%s\" of op %s is %s%s%s, not %s%s%s", name, node->op,
         attribute->is_list ? "list(" : "", NameOfType(attribute->type), attribute->is_list ? ")" : "",
         is_list ? "list(" : "", NameOfType((int)type), is_list ? ")" : "");
    return NULL;
  }
  Succeed(status);
  return attribute;
}

bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction* ctx, const char* attr_name, TF_Status* status) {
  Succeed(status);
  return FindAttribute(ctx->node, attr_name) != NULL;
}

void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction* ctx, const char* attr_name, int32_t* list_size,
                                         int32_t* total_size, TF_Status* status) {
  const abigen_core_attribute* attribute = FindAttribute(ctx->node, attr_name);
  *list_size = -1;
  *total_size = -1;
  if (attribute == NULL) {
    Fail(status, TF_INVALID_ARGUMENT, "op %s has no attribute \"%s\"", ctx->node->op, attr_name);
    return;
  }
  Succeed(status);
  if (attribute->is_list) {
    *list_size = (int32_t)attribute->count;
  }
  if (attribute->type != TF_ATTR_STRING && attribute->type != TF_ATTR_SHAPE) {
    return;
  }
  if (attribute->type == TF_ATTR_SHAPE && !attribute->is_list) {
    *total_size = (int32_t)attribute->lengths[0];
    return;
  }
  int64_t total = 0;
  for (size_t i = 0; i < attribute->count; ++i) {
    total += attribute->lengths[i] > 0 ? attribute->lengths[i] : 0;
  }
  *total_size = (int32_t)total;
}

// Room for `max` elements may be more than there are, and then takes what there is.
#define COPY(TYPE, SOURCE, LIST, KIND)                                                            \
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, KIND, LIST, status); \
  for (size_t i = 0; attribute != NULL && i < attribute->count && i < max; ++i) {                 \
    vals[i] = (TYPE)attribute->SOURCE[i];                                                         \
  }

#define SCALAR(NAME, TYPE, SOURCE, KIND)                                                              \
  void TF_OpKernelConstruction_GetAttr##NAME(TF_OpKernelConstruction* ctx, const char* attr_name,     \
                                             TYPE* vals, TF_Status* status) {                         \
    const size_t max = 1;                                                                             \
    COPY(TYPE, SOURCE, false, KIND)                                                                   \
  }

#define LIST(NAME, TYPE, SOURCE, KIND)                                                                \
  void TF_OpKernelConstruction_GetAttr##NAME##List(TF_OpKernelConstruction* ctx, const char* attr_name, \
                                                   TYPE* vals, int max_vals, TF_Status* status) {     \
    const size_t max = max_vals > 0 ? (size_t)max_vals : 0;                                           \
    COPY(TYPE, SOURCE, true, KIND)                                                                    \
  }

SCALAR(Type, TF_DataType, integers, TF_ATTR_TYPE)
SCALAR(Int64, int64_t, integers, TF_ATTR_INT)
SCALAR(Float, float, floats, TF_ATTR_FLOAT)
SCALAR(Bool, TF_Bool, integers, TF_ATTR_BOOL)
LIST(Type, TF_DataType, integers, TF_ATTR_TYPE)
LIST(Int64, int64_t, integers, TF_ATTR_INT)
LIST(Float, float, floats, TF_ATTR_FLOAT)
LIST(Bool, TF_Bool, integers, TF_ATTR_BOOL)

// Whether all integers of an attribute fit into 32 bits.
static bool AreNarrow(const abigen_core_attribute* attribute, TF_Status* status) {
  for (size_t i = 0; attribute != NULL && i < attribute->count; ++i) {
    if (attribute->integers[i] < INT32_MIN || attribute->integers[i] > INT32_MAX) {
      Fail(status, TF_INVALID_ARGUMENT, "attribute \"%s\" has the value %lld, too large for an int32", attribute->name,
           (long long)attribute->integers[i]);
      return false;
    }
  }
  return attribute != NULL;
}

void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction* ctx, const char* attr_name, int32_t* val,
                                          TF_Status* status) {
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_INT, false, status);
  if (AreNarrow(attribute, status)) {
    *val = (int32_t)attribute->integers[0];
  }
}

void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction* ctx, const char* attr_name, int32_t* vals,
                                              int max_vals, TF_Status* status) {
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_INT, true, status);
  if (AreNarrow(attribute, status)) {
    for (size_t i = 0; i < attribute->count && (int64_t)i < max_vals; ++i) {
      vals[i] = (int32_t)attribute->integers[i];
    }
  }
}

void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction* ctx, const char* attr_name, char* val,
                                           size_t max_length, TF_Status* status) {
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_STRING, false, status);
  if (attribute != NULL) {
    size_t length = (size_t)attribute->lengths[0];
    memcpy(val, attribute->texts[0], length < max_length ? length : max_length);
  }
}

void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction* ctx, const char* attr_name, char** values,
                                               size_t* lengths, int max_values, void* storage, size_t storage_size,
                                               TF_Status* status) {
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_STRING, true, status);
  char* next = storage;
  for (size_t i = 0; attribute != NULL && i < attribute->count && (int64_t)i < max_values; ++i) {
    size_t length = (size_t)attribute->lengths[i];
    if (length > storage_size) {
      Fail(status, TF_INVALID_ARGUMENT, "not enough room for the strings of attribute \"%s\"", attr_name);
      return;
    }
    memcpy(next, attribute->texts[i], length);
    values[i] = next;
    lengths[i] = length;
    next += length;
    storage_size -= length;
  }
}

void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction* ctx, const char* attr_name, TF_Tensor** val,
                                           TF_Status* status) {
  *val = NULL;
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_TENSOR, false, status);
  if (attribute != NULL) {
    *val = ShareTensor(attribute->tensors[0]);
  }
}

void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction* ctx, const char* attr_name, TF_Tensor** vals,
                                               int max_values, TF_Status* status) {
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_TENSOR, true, status);
  for (int i = 0; i < max_values; ++i) {
    bool there = attribute != NULL && (size_t)i < attribute->count;
    vals[i] = there ? ShareTensor(attribute->tensors[i]) : NULL;
  }
}

TF_Buffer* TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction* ctx, const char* attr_name,
                                                   TF_Status* status) {
  if (NeedAttribute(ctx->node, attr_name, TF_ATTR_FUNC, false, status) != NULL) {
    Fail(status, TF_UNIMPLEMENTED, "attribute \"%s\": this core has no functions", attr_name);
  }
  return NULL;
}
