// Shape inference. What is not known is -1: a rank or a dimension.

#include "internal.h"

struct TF_DimensionHandle {
  int64_t value;
};

struct TF_ShapeHandle {
  int64_t rank;
  int64_t* dims;
};

struct TF_ShapeInferenceContext {
  const abigen_core_node* node;
  int num_inputs;
  TF_ShapeHandle* inputs;
  int num_outputs;
  TF_ShapeHandle* outputs;
  unsigned char* is_set;
};

// `dims` may be the shape's own; NULL: no dimension is known.
static void Assign(TF_ShapeHandle* shape, int64_t rank, const int64_t* dims) {
  int64_t* copy = NULL;
  if (rank > 0) {
    copy = Allocate((size_t)rank * sizeof(int64_t));
    for (int64_t i = 0; i < rank; ++i) {
      copy[i] = dims == NULL ? -1 : dims[i];
    }
  }
  free(shape->dims);
  *shape = (TF_ShapeHandle){rank, copy};
}

TF_ShapeInferenceContext* abigen_core_new_inference(const abigen_core_node* node, int num_inputs,
                                                    const abigen_core_shape* inputs, int num_outputs) {
  TF_ShapeInferenceContext* context = Allocate(sizeof(TF_ShapeInferenceContext));
  *context = (TF_ShapeInferenceContext){
      node,
      num_inputs,
      AllocateZeroed((size_t)num_inputs, sizeof(TF_ShapeHandle)),
      num_outputs,
      AllocateZeroed((size_t)num_outputs, sizeof(TF_ShapeHandle)),
      AllocateZeroed((size_t)num_outputs, 1),
  };
  for (int i = 0; i < num_inputs; ++i) {
    Assign(&context->inputs[i], inputs[i].rank, inputs[i].dims);
  }
  for (int i = 0; i < num_outputs; ++i) {
    Assign(&context->outputs[i], -1, NULL);
  }
  return context;
}

void abigen_core_delete_inference(TF_ShapeInferenceContext* context) {
  for (int i = 0; i < context->num_inputs; ++i) {
    free(context->inputs[i].dims);
  }
  for (int i = 0; i < context->num_outputs; ++i) {
    free(context->outputs[i].dims);
  }
  free(context->inputs);
  free(context->outputs);
  free(context->is_set);
  free(context);
}

int abigen_core_inferred(const TF_ShapeInferenceContext* context, int index, abigen_core_shape* shape) {
  *shape = (abigen_core_shape){context->outputs[index].rank, context->outputs[index].dims};
  return context->is_set[index];
}

static _Atomic int64_t live_shapes;

int64_t abigen_core_live_shapes(void) { return atomic_load(&live_shapes); }

static TF_ShapeHandle* NewShape(int64_t rank, const int64_t* dims) {
  atomic_fetch_add(&live_shapes, 1);
  TF_ShapeHandle* shape = AllocateZeroed(1, sizeof(TF_ShapeHandle));
  Assign(shape, rank, dims);
  return shape;
}

TF_ShapeHandle* TF_NewShapeHandle(void) { return NewShape(-1, NULL); }

void TF_DeleteShapeHandle(TF_ShapeHandle* handle) {
  if (handle != NULL) {
    atomic_fetch_sub(&live_shapes, 1);
    free(handle->dims);
    free(handle);
  }
}

TF_DimensionHandle* TF_NewDimensionHandle(void) {
  TF_DimensionHandle* handle = Allocate(sizeof(TF_DimensionHandle));
  handle->value = -1;
  atomic_fetch_add(&live_shapes, 1);
  return handle;
}

void TF_DeleteDimensionHandle(TF_DimensionHandle* handle) {
  if (handle != NULL) {
    atomic_fetch_sub(&live_shapes, 1);
    free(handle);
  }
}

int TF_DimensionHandleValueKnown(TF_DimensionHandle* handle) { return handle->value >= 0; }
int64_t TF_DimensionHandleValue(TF_DimensionHandle* handle) { return handle->value; }

TF_ShapeHandle* TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext* ctx) { return (void)ctx, NewShape(0, NULL); }

TF_ShapeHandle* TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext* ctx, size_t size) {
  (void)ctx;
  const int64_t dim = (int64_t)size;
  return NewShape(1, &dim);
}

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext* ctx) { return ctx->num_inputs; }

static bool HasIndex(const char* what, int index, int count, TF_Status* status) {
  if (index < 0 || index >= count) {
    Fail(status, TF_INVALID_ARGUMENT, "there is no %s %d of %d", what, index, count);
    return false;
  }
  Succeed(status);
  return true;
}

void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext* ctx, int i, TF_ShapeHandle* handle,
                                      TF_Status* status) {
  if (HasIndex("input", i, ctx->num_inputs, status)) {
    Assign(handle, ctx->inputs[i].rank, ctx->inputs[i].dims);
  }
}

void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext* ctx, int i, TF_ShapeHandle* handle,
                                       TF_Status* status) {
  if (HasIndex("output", i, ctx->num_outputs, status)) {
    Assign(&ctx->outputs[i], handle->rank, handle->dims);
    ctx->is_set[i] = 1;
  }
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  for (int i = 0; i < ctx->num_outputs; ++i) {
    Assign(&ctx->outputs[i], -1, NULL);
    ctx->is_set[i] = 1;
  }
  Succeed(status);
}

void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext* ctx, const char* attr_name, TF_DataType* val,
                                          TF_Status* status) {
  const abigen_core_attribute* attribute = NeedAttribute(ctx->node, attr_name, TF_ATTR_TYPE, false, status);
  if (attribute != NULL) {
    *val = (TF_DataType)attribute->integers[0];
  }
}

int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle) {
  return (void)ctx, handle->rank;
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle) {
  return (void)ctx, handle->rank >= 0;
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle, int64_t rank,
                                      TF_ShapeHandle* result, TF_Status* status) {
  (void)ctx;
  if (rank < 0 || rank > INT32_MAX) {
    Fail(status, TF_INVALID_ARGUMENT, "no shape has rank %lld", (long long)rank);
  } else if (handle->rank >= 0 && handle->rank != rank) {
    Fail(status, TF_INVALID_ARGUMENT, "Shape must be rank %lld but is rank %lld", (long long)rank,
         (long long)handle->rank);
  } else {
    Assign(result, rank, handle->rank < 0 ? NULL : handle->dims);
    Succeed(status);
  }
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle, int64_t rank,
                                             TF_ShapeHandle* result, TF_Status* status) {
  (void)ctx;
  if (handle->rank >= 0 && handle->rank < rank) {
    Fail(status, TF_INVALID_ARGUMENT, "Shape must be at least rank %lld but is rank %lld", (long long)rank,
         (long long)handle->rank);
    return;
  }
  Assign(result, handle->rank, handle->dims);
  Succeed(status);
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle, int64_t rank,
                                            TF_ShapeHandle* result, TF_Status* status) {
  (void)ctx;
  if (handle->rank > rank) {
    Fail(status, TF_INVALID_ARGUMENT, "Shape must be at most rank %lld but is rank %lld", (long long)rank,
         (long long)handle->rank);
    return;
  }
  Assign(result, handle->rank, handle->dims);
  Succeed(status);
}

void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape, int64_t i,
                                 TF_DimensionHandle* result) {
  (void)ctx;
  if (shape->rank < 0) {
    result->value = -1;
    return;
  }
  int64_t index = i < 0 ? i + shape->rank : i;
  if (index < 0 || index >= shape->rank) {
    Die("TF_ShapeInferenceContextDim", "there is no dimension %lld in a shape of rank %lld", (long long)i,
        (long long)shape->rank);
  }
  result->value = shape->dims[index];
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape, int64_t start, int64_t end,
                                      TF_ShapeHandle* result, TF_Status* status) {
  (void)ctx;
  if (shape->rank < 0) {
    Assign(result, -1, NULL);
    Succeed(status);
    return;
  }
  int64_t from = start < 0 ? start + shape->rank : start;
  int64_t to = end < 0 ? end + shape->rank : end;
  from = from > shape->rank ? shape->rank : from;
  to = to > shape->rank ? shape->rank : to;
  if (from < 0 || to < 0 || from > to) {
    Fail(status, TF_INVALID_ARGUMENT, "a shape of rank %lld has no dimensions from %lld to %lld",
         (long long)shape->rank, (long long)start, (long long)end);
    return;
  }
  Assign(result, to - from, shape->dims == NULL ? NULL : shape->dims + from);
  Succeed(status);
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* first,
                                               TF_ShapeHandle* second, TF_ShapeHandle* result, TF_Status* status) {
  (void)ctx;
  Succeed(status);
  if (first->rank < 0 || second->rank < 0) {
    Assign(result, -1, NULL);
    return;
  }
  int64_t rank = first->rank + second->rank;
  int64_t* dims = Allocate((size_t)rank * sizeof(int64_t));
  for (int64_t i = 0; i < rank; ++i) {
    dims[i] = i < first->rank ? first->dims[i] : second->dims[i - first->rank];
  }
  Assign(result, rank, dims);
  free(dims);
}
