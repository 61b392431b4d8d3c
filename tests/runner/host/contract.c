// What the headers say of tensors, statuses and shapes, asked of the library itself. Ends with 0 when all holds.
//
//     cc -fsanitize=address,undefined -I INCLUDE -I LIBRARY contract.c LIBRARY/*.c -pthread && ./a.out

#include <errno.h>
#include <stdio.h>

#include "internal.h"

static int failures;

#define EXPECT(CONDITION)                                                     \
  do {                                                                        \
    if (!(CONDITION)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #CONDITION); \
      failures += 1;                                                          \
    }                                                                         \
  } while (0)

static void Count(void* data, size_t size, void* argument) {
  (void)size;
  *(int*)argument += 1;
  free(data);
}

static void Visit(const char* key, const char* value, void* capture) {
  char* all = capture;
  strcat(strcat(strcat(all, key), value), ";");
}

static void TestStatus(void) {
  TF_Status* status = TF_NewStatus();
  EXPECT(TF_GetCode(status) == TF_OK && strcmp(TF_Message(status), "") == 0);
  TF_SetPayload(status, "k", "v");  // a status that is fine takes none
  char all[64] = "";
  TF_ForEachPayload(status, Visit, all);
  EXPECT(strcmp(all, "") == 0);
  TF_SetStatus(status, TF_NOT_FOUND, "gone");
  TF_SetStatus(status, TF_ABORTED, TF_Message(status));
  EXPECT(TF_GetCode(status) == TF_ABORTED && strcmp(TF_Message(status), "gone") == 0);
  TF_SetPayload(status, "k", "v");
  TF_SetPayload(status, "l", "w");
  TF_SetPayload(status, "k", "x");
  TF_ForEachPayload(status, Visit, all);
  EXPECT(strcmp(all, "kx;lw;") == 0);
  TF_SetStatus(status, TF_OK, "ignored");
  EXPECT(strcmp(TF_Message(status), "") == 0);
  TF_SetStatusFromIOError(status, ENOENT, "plan.txt");
  EXPECT(TF_GetCode(status) == TF_NOT_FOUND && strncmp(TF_Message(status), "plan.txt; ", 10) == 0);
  TF_DeleteStatus(status);
  TF_DeleteStatus(NULL);
}

static void TestTensors(void) {
  const int64_t dims[] = {2, 3};
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, dims, 2, 24);
  EXPECT(TF_TensorType(tensor) == TF_FLOAT && TF_NumDims(tensor) == 2 && TF_Dim(tensor, 1) == 3);
  EXPECT(TF_TensorByteSize(tensor) == 24 && TF_TensorElementCount(tensor) == 6 && TF_TensorIsAligned(tensor));
  EXPECT((uintptr_t)TF_TensorData(tensor) % TF_TensorDefaultAlignment() == 0);
  EXPECT(TF_AllocateTensor(TF_FLOAT, dims, 2, 23) == NULL);

  TF_Status* status = TF_NewStatus();
  TF_Tensor* view = TF_AllocateTensor(TF_INT8, NULL, 0, 1);
  const int64_t flat[] = {3};
  TF_TensorBitcastFrom(tensor, TF_INT64, view, flat, 1, status);
  EXPECT(TF_GetCode(status) == TF_OK && TF_TensorData(view) == TF_TensorData(tensor) && TF_Dim(view, 0) == 3);
  TF_TensorBitcastFrom(tensor, TF_INT8, view, flat, 1, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT && TF_TensorType(view) == TF_INT64);
  TF_TensorBitcastFrom(tensor, TF_STRING, view, flat, 1, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  EXPECT(TF_TensorMaybeMove(tensor) == NULL);  // shared with the view
  TF_DeleteTensor(view);
  tensor = TF_TensorMaybeMove(tensor);
  EXPECT(tensor != NULL && TF_TensorByteSize(tensor) == 24);
  TF_SetShape(tensor, flat, 1);
  EXPECT(TF_NumDims(tensor) == 1 && TF_TensorByteSize(tensor) == 12);
  TF_DeleteTensor(tensor);
  TF_DeleteTensor(NULL);

  int freed = 0;
  TF_Tensor* own = TF_NewTensor(TF_INT32, flat, 1, malloc(12), 12, Count, &freed);
  EXPECT(own != NULL && freed == 0);
  TF_DeleteTensor(own);
  EXPECT(freed == 1);
  EXPECT(TF_NewTensor(TF_INT32, flat, 1, malloc(8), 8, Count, &freed) == NULL && freed == 2);
  const int64_t negative[] = {-1};
  EXPECT(TF_NewTensor(TF_INT32, negative, 1, malloc(8), 8, Count, &freed) == NULL && freed == 3);
  const int64_t huge[] = {INT64_MAX, 8, 0};
  EXPECT(TF_NewTensor(TF_INT32, huge, 2, malloc(8), 8, Count, &freed) == NULL && freed == 4);
  TF_Tensor* empty = TF_NewTensor(TF_INT32, huge, 3, NULL, 0, NULL, NULL);
  EXPECT(empty != NULL && TF_TensorElementCount(empty) == 0);
  TF_DeleteTensor(empty);
  EXPECT(TF_DataTypeSize(TF_COMPLEX128) == 16 && TF_DataTypeSize(TF_STRING) == 0 && TF_DataTypeSize(99) == 0);

  TF_Buffer* buffer = TF_NewBufferFromString("abc", 3);
  EXPECT(TF_GetBuffer(buffer).length == 3 && memcmp(TF_GetBuffer(buffer).data, "abc", 3) == 0);
  TF_DeleteBuffer(buffer);
  TF_DeleteBuffer(TF_NewBuffer());
  TF_DeleteBuffer(NULL);
  TF_DeleteStatus(status);
  EXPECT(abigen_core_live_tensors() == 0);
}

static bool Is(TF_ShapeHandle* shape, TF_ShapeInferenceContext* context, int64_t rank, int64_t first) {
  if (rank < 0) {
    return !TF_ShapeInferenceContextRankKnown(context, shape);
  }
  TF_DimensionHandle* dim = TF_NewDimensionHandle();
  bool same = TF_ShapeInferenceContextRank(context, shape) == rank;
  if (same && rank > 0) {
    TF_ShapeInferenceContextDim(context, shape, 0, dim);
    same = TF_DimensionHandleValueKnown(dim) == (first >= 0) && (first < 0 || TF_DimensionHandleValue(dim) == first);
  }
  TF_DeleteDimensionHandle(dim);
  return same;
}

static void TestShapes(void) {
  const int64_t type = TF_FLOAT;
  const abigen_core_attribute attribute = {.name = "T", .type = TF_ATTR_TYPE, .count = 1, .integers = &type};
  const abigen_core_node node = {.name = "n", .op = "Op", .num_attributes = 1, .attributes = &attribute};
  const int64_t dims[] = {5, -1, 7};
  const abigen_core_shape inputs[] = {{3, dims}, {-1, NULL}};
  TF_ShapeInferenceContext* context = abigen_core_new_inference(&node, 2, inputs, 2);
  TF_Status* status = TF_NewStatus();
  TF_ShapeHandle* known = TF_NewShapeHandle();
  TF_ShapeHandle* unknown = TF_NewShapeHandle();
  TF_ShapeHandle* result = TF_NewShapeHandle();
  EXPECT(TF_ShapeInferenceContextNumInputs(context) == 2);
  TF_ShapeInferenceContextGetInput(context, 0, known, status);
  TF_ShapeInferenceContextGetInput(context, 1, unknown, status);
  EXPECT(Is(known, context, 3, 5) && Is(unknown, context, -1, 0));
  TF_ShapeInferenceContextGetInput(context, 2, result, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);

  TF_DataType found = 0;
  TF_ShapeInferenceContext_GetAttrType(context, "T", &found, status);
  EXPECT(TF_GetCode(status) == TF_OK && found == TF_FLOAT);
  TF_ShapeInferenceContext_GetAttrType(context, "S", &found, status);
  EXPECT(TF_GetCode(status) == TF_NOT_FOUND);

  TF_ShapeInferenceContextWithRank(context, known, 3, result, status);
  EXPECT(TF_GetCode(status) == TF_OK && Is(result, context, 3, 5));
  TF_ShapeInferenceContextWithRank(context, known, 2, result, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  TF_ShapeInferenceContextWithRank(context, unknown, 2, result, status);
  EXPECT(TF_GetCode(status) == TF_OK && Is(result, context, 2, -1));
  TF_ShapeInferenceContextWithRankAtLeast(context, known, 4, result, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  TF_ShapeInferenceContextWithRankAtMost(context, known, 2, result, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  TF_ShapeInferenceContextWithRankAtLeast(context, unknown, 4, result, status);
  EXPECT(TF_GetCode(status) == TF_OK && Is(result, context, -1, 0));

  TF_ShapeInferenceContextSubshape(context, known, 1, 100, result, status);
  EXPECT(TF_GetCode(status) == TF_OK && Is(result, context, 2, -1));
  TF_ShapeInferenceContextSubshape(context, known, -1, 3, result, status);
  EXPECT(TF_GetCode(status) == TF_OK && Is(result, context, 1, 7));
  TF_ShapeInferenceContextSubshape(context, known, 2, 1, result, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  TF_ShapeInferenceContextConcatenateShapes(context, known, known, known, status);
  EXPECT(TF_GetCode(status) == TF_OK && Is(known, context, 6, 5));
  TF_ShapeInferenceContextConcatenateShapes(context, known, unknown, result, status);
  EXPECT(Is(result, context, -1, 0));

  TF_ShapeHandle* vector = TF_ShapeInferenceContextVectorFromSize(context, 9);
  TF_ShapeHandle* scalar = TF_ShapeInferenceContextScalar(context);
  EXPECT(Is(vector, context, 1, 9) && Is(scalar, context, 0, 0));
  TF_ShapeInferenceContextSetOutput(context, 0, vector, status);
  TF_ShapeInferenceContextSetOutput(context, 2, vector, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  abigen_core_shape shape;
  EXPECT(abigen_core_inferred(context, 0, &shape) && shape.rank == 1 && shape.dims[0] == 9);
  EXPECT(!abigen_core_inferred(context, 1, &shape));
  TF_ShapeInferenceContextSetUnknownShape(context, status);
  EXPECT(abigen_core_inferred(context, 0, &shape) && shape.rank == -1);

  TF_DeleteShapeHandle(vector);
  TF_DeleteShapeHandle(scalar);
  TF_DeleteShapeHandle(known);
  TF_DeleteShapeHandle(unknown);
  TF_DeleteShapeHandle(result);
  TF_DeleteShapeHandle(NULL);
  TF_DeleteStatus(status);
  abigen_core_delete_inference(context);
}

static void TestAttributes(void) {
  const int64_t integers[] = {1, -2, INT64_C(1) << 40};
  const float floats[] = {1.5F, 2.5F};
  const char* const texts[] = {"ab", "cde"};
  const int64_t lengths[] = {2, 3};
  const int64_t rank = -1;
  const int64_t dims[] = {4, 5};
  const int64_t ranks[] = {2, 0};
  const abigen_core_attribute attributes[] = {
      {.name = "i", .type = TF_ATTR_INT, .count = 1, .integers = integers},
      {.name = "is", .type = TF_ATTR_INT, .is_list = 1, .count = 3, .integers = integers},
      {.name = "fs", .type = TF_ATTR_FLOAT, .is_list = 1, .count = 2, .floats = floats},
      {.name = "s", .type = TF_ATTR_STRING, .count = 1, .texts = texts, .lengths = lengths},
      {.name = "ss", .type = TF_ATTR_STRING, .is_list = 1, .count = 2, .texts = texts, .lengths = lengths},
      {.name = "any", .type = TF_ATTR_SHAPE, .count = 1, .lengths = &rank},
      {.name = "shapes", .type = TF_ATTR_SHAPE, .is_list = 1, .count = 2, .integers = dims, .lengths = ranks},
      {.name = "none", .type = TF_ATTR_INT, .is_list = 1, .count = 0},
  };
  const abigen_core_node node = {"name", "Op", 8, attributes, "def", 3};
  TF_OpKernelConstruction* ctx = abigen_core_new_construction(&node);
  TF_Status* status = TF_NewStatus();
  int32_t narrow[4] = {0};
  int64_t wide[4] = {0};
  TF_OpKernelConstruction_GetAttrInt32(ctx, "i", narrow, status);
  EXPECT(TF_GetCode(status) == TF_OK && narrow[0] == 1);
  TF_OpKernelConstruction_GetAttrInt32List(ctx, "is", narrow, 3, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);  // one is too large
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "is", wide, 2, status);
  EXPECT(TF_GetCode(status) == TF_OK && wide[1] == -2 && wide[2] == 0);
  TF_OpKernelConstruction_GetAttrInt64(ctx, "is", wide, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT && strstr(TF_Message(status), "is list(int), not int") != NULL);
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "none", NULL, 0, status);
  EXPECT(TF_GetCode(status) == TF_OK);
  TF_OpKernelConstruction_GetAttrType(ctx, "gone", NULL, status);
  EXPECT(TF_GetCode(status) == TF_NOT_FOUND);
  EXPECT(TF_OpKernelConstruction_HasAttr(ctx, "fs", status) && !TF_OpKernelConstruction_HasAttr(ctx, "f", status));

  int32_t size = 0;
  int32_t total = 0;
  TF_OpKernelConstruction_GetAttrSize(ctx, "ss", &size, &total, status);
  EXPECT(size == 2 && total == 5);
  TF_OpKernelConstruction_GetAttrSize(ctx, "any", &size, &total, status);
  EXPECT(size == -1 && total == -1);
  TF_OpKernelConstruction_GetAttrSize(ctx, "shapes", &size, &total, status);
  EXPECT(size == 2 && total == 2);

  char text[4] = "zzz";
  TF_OpKernelConstruction_GetAttrString(ctx, "s", text, 2, status);
  EXPECT(TF_GetCode(status) == TF_OK && strcmp(text, "abz") == 0);
  char* values[2];
  size_t sizes[2];
  char storage[5];
  TF_OpKernelConstruction_GetAttrStringList(ctx, "ss", values, sizes, 2, storage, 5, status);
  EXPECT(TF_GetCode(status) == TF_OK && sizes[1] == 3 && memcmp(values[1], "cde", 3) == 0);
  TF_OpKernelConstruction_GetAttrStringList(ctx, "ss", values, sizes, 2, storage, 4, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);

  TF_Buffer* buffer = TF_OpKernelConstruction_GetNodeDef(ctx, status);
  EXPECT(buffer->length == 3 && memcmp(buffer->data, "def", 3) == 0);
  TF_DeleteBuffer(buffer);
  EXPECT(TF_OpKernelConstruction_GetName(ctx).len == 4);
  EXPECT(abigen_core_construction_failure(ctx) == NULL);
  TF_SetStatus(status, TF_INTERNAL, "no");
  TF_OpKernelConstruction_Failure(ctx, status);
  EXPECT(strcmp(TF_Message(abigen_core_construction_failure(ctx)), "no") == 0);
  TF_DeleteStatus(status);
  abigen_core_delete_construction(ctx);
}

static void* AllocateBlock(void* memory, size_t size) {
  *(int*)memory += 1;
  return size > 1000 ? NULL : malloc(size ? size : 1);
}
static void FreeBlock(void* memory, void* data, size_t size) {
  (void)size;
  *(int*)memory -= 1;
  free(data);
}

static void TestContext(void) {
  int blocks = 0;
  const int64_t dims[] = {4};
  TF_Tensor* input = abigen_core_device_tensor(TF_FLOAT, dims, 1, AllocateBlock(&blocks, 16), 16, FreeBlock, &blocks);
  EXPECT(!abigen_core_is_on_host(input));
  const abigen_core_node node = {"name", "Op", 0, NULL, NULL, 0};
  const unsigned char away[] = {0};
  const char* const names[] = {"x:0"};
  const int types[] = {TF_FLOAT};
  const abigen_core_range range = {"x", 0, 1};
  const abigen_core_step step = {&node,  "XPU:1", 1, 7,     NULL, 1,       1,             &input,   away, names,
                                 1,      &range,  1, types, away, &blocks, AllocateBlock, FreeBlock};
  TF_OpKernelContext* ctx = abigen_core_new_context(&step);
  TF_DeleteTensor(input);
  TF_Status* status = TF_NewStatus();
  EXPECT(TF_NumInputs(ctx) == 1 && TF_NumOutputs(ctx) == 1 && TF_InputDatatype(ctx, 0) == TF_FLOAT);
  EXPECT(TF_StepId(ctx) == 7 && TF_GetDeviceId(ctx) == 1 && TF_GetDeviceName(ctx).len == 5);
  EXPECT(TF_GetOpKernelRequestedInput(ctx, 0).len == 3 && TF_GetOpKernelName(ctx).len == 4);
  EXPECT(TF_GetStream(ctx, status) == NULL && TF_GetCode(status) == TF_FAILED_PRECONDITION);
  TF_InputRange_Args args = {.struct_size = sizeof args, .status = status};
  TF_InputRange(ctx, "x", &args);
  EXPECT(TF_GetCode(status) == TF_OK && args.start == 0 && args.stop == 1);
  TF_InputRange(ctx, "y", &args);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);

  TF_Tensor* tensor = (TF_Tensor*)&blocks;
  TF_GetInput(ctx, 1, &tensor, status);
  EXPECT(TF_GetCode(status) == TF_OUT_OF_RANGE && tensor == (TF_Tensor*)&blocks);
  EXPECT(TF_GetMutableOutput(ctx, 0, status) == NULL && TF_GetCode(status) == TF_FAILED_PRECONDITION);
  EXPECT(TF_AllocateOutput(ctx, 1, TF_FLOAT, dims, 1, 16, status) == NULL && TF_GetCode(status) == TF_OUT_OF_RANGE);
  EXPECT(TF_AllocateOutput(ctx, 0, TF_INT8, dims, 1, 4, status) == NULL &&
         TF_GetCode(status) == TF_INVALID_ARGUMENT);
  const int64_t large[] = {4000};
  EXPECT(TF_AllocateOutput(ctx, 0, TF_FLOAT, large, 1, 16000, status) == NULL &&
         TF_GetCode(status) == TF_RESOURCE_EXHAUSTED);
  blocks -= 1;  // it was asked for, and refused

  int candidate = 0;
  int forwarded = 5;
  TF_GetInput(ctx, 0, &tensor, status);
  TF_Tensor* output = TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, dims, 1, &forwarded, status);
  EXPECT(forwarded == -1 && TF_TensorData(output) != TF_TensorData(tensor));  // somebody has the input
  TF_DeleteTensor(output);
  void* data = TF_TensorData(tensor);
  TF_DeleteTensor(tensor);
  output = TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, dims, 1, &forwarded, status);
  EXPECT(forwarded == 0 && TF_TensorData(output) == data);
  TF_DeleteTensor(output);

  TF_AllocatorAttributes attributes = {.struct_size = TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host), .on_host = 1};
  TF_Tensor* temporary = TF_AllocateTemp(ctx, TF_INT8, dims, 1, &attributes, status);
  EXPECT(abigen_core_is_on_host(temporary));
  TF_DeleteTensor(temporary);
  attributes.struct_size = 0;  // says nothing
  temporary = TF_AllocateTemp(ctx, TF_INT8, dims, 1, &attributes, status);
  EXPECT(!abigen_core_is_on_host(temporary));
  TF_DeleteTensor(temporary);
  TF_Tensor* wrong = TF_AllocateTensor(TF_INT8, dims, 1, 4);
  TF_SetOutput(ctx, 0, wrong, status);
  EXPECT(TF_GetCode(status) == TF_INVALID_ARGUMENT);
  TF_DeleteTensor(wrong);

  TF_SetStatus(status, TF_INTERNAL, "first");
  TF_OpKernelContext_Failure(ctx, status);
  TF_SetStatus(status, TF_INTERNAL, "second");
  TF_OpKernelContext_Failure(ctx, status);
  EXPECT(strcmp(TF_Message(abigen_core_context_failure(ctx)), "first") == 0);
  TF_IncNumDeferredOps(ctx);
  EXPECT(abigen_core_deferred_ops(ctx) == 1);
  TF_DeleteStatus(status);
  abigen_core_delete_context(ctx);
  EXPECT(blocks == 0 && abigen_core_live_tensors() == 0);
}

static void TestRegistration(void) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* builder = TF_NewKernelBuilder("Op", "XPU", NULL, NULL, NULL);
  TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
  TF_KernelBuilder_HostMemory(builder, "x");
  TF_KernelBuilder_Label(builder, "l");
  TF_RegisterKernelBuilder("K", builder, status);
  EXPECT(TF_GetCode(status) == TF_FAILED_PRECONDITION);  // nobody listens
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("Op");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderDeprecated(op, 3, "old");
  TF_RegisterOpDefinition(op, status);
  EXPECT(TF_GetCode(status) == TF_FAILED_PRECONDITION);
  TF_DeleteOpDefinitionBuilder(TF_NewOpDefinitionBuilder("Op"));
  TF_DeleteKernelBuilder(TF_NewAsyncKernelBuilder("Op", "XPU", NULL, NULL, NULL));
  TF_DeleteStatus(status);
}

int main(void) {
  TestStatus();
  TestTensors();
  TestShapes();
  TestAttributes();
  TestContext();
  TestRegistration();
  return failures != 0;
}
