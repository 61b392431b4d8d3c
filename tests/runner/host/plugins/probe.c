// A plugin that writes down what a core answers, so that two cores can be compared.
//
// The op "Probe" gives a vector of numbers: codes of statuses, and whatever else is a number. Its shape function says the
// same of shape inference, by the dimensions of the second output.

#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#ifndef SHAPES
#define SHAPES InferShapes
#endif

typedef struct Notes {
  int64_t numbers[512];
  int count;
} Notes;

static void Note(Notes* notes, int64_t number) { notes->numbers[notes->count++] = number; }

static void NoteText(Notes* notes, const char* text, size_t length) {
  Note(notes, (int64_t)length);
  for (size_t i = 0; i < length; ++i) {
    Note(notes, text[i]);
  }
}

// Clears the status as well: not every function of every core does when all is well.
static int NoteCode(Notes* notes, TF_Status* status) {
  const int code = TF_GetCode(status);
  Note(notes, code);
  TF_SetStatus(status, TF_OK, "");
  return code;
}

static const char* const kAttributes[] = {"i", "il", "f", "fl", "b", "bl", "s", "sl", "t", "tl", "h", "hl", "none", "gone"};

static void* Create(TF_OpKernelConstruction* ctx) {
  Notes* notes = calloc(1, sizeof(Notes));
  TF_Status* status = TF_NewStatus();
  for (size_t i = 0; i < sizeof kAttributes / sizeof kAttributes[0]; ++i) {
    const char* name = kAttributes[i];
    int32_t size = -7, total = -7;
    TF_OpKernelConstruction_GetAttrSize(ctx, name, &size, &total, status);
    NoteCode(notes, status);
    Note(notes, size);
    if (name[0] == 's' || name[0] == 'h') {
      Note(notes, total);  // of the others nothing can be relied on
    }
    Note(notes, TF_OpKernelConstruction_HasAttr(ctx, name, status));
    NoteCode(notes, status);
    int32_t narrow[4] = {-7, -7, -7, -7};
    TF_OpKernelConstruction_GetAttrInt32(ctx, name, narrow, status);
    NoteCode(notes, status);
    int64_t wide[4] = {-7, -7, -7, -7};
    TF_OpKernelConstruction_GetAttrInt64(ctx, name, wide, status);
    Note(notes, NoteCode(notes, status) == TF_OK ? wide[0] : 0);
    float real[4] = {-7, -7, -7, -7};
    TF_OpKernelConstruction_GetAttrFloat(ctx, name, real, status);
    Note(notes, NoteCode(notes, status) == TF_OK ? (int64_t)real[0] : 0);
    TF_Bool truth[4] = {7, 7, 7, 7};
    TF_OpKernelConstruction_GetAttrBool(ctx, name, truth, status);
    Note(notes, NoteCode(notes, status) == TF_OK ? truth[0] : 0);
    TF_DataType types[4] = {0};
    TF_OpKernelConstruction_GetAttrType(ctx, name, types, status);
    Note(notes, NoteCode(notes, status) == TF_OK ? types[0] : 0);
    char text[16] = "zzzzzzzz";
    TF_OpKernelConstruction_GetAttrString(ctx, name, text, 8, status);
    NoteText(notes, text, NoteCode(notes, status) == TF_OK ? 8 : 0);
  }
  int64_t list[4] = {-7, -7, -7, -7};
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "il", list, 3, status);
  NoteCode(notes, status);
  for (int i = 0; i < 4; ++i) {
    Note(notes, list[i]);
  }
  char *texts[2], storage[16];
  size_t lengths[2];
  TF_OpKernelConstruction_GetAttrStringList(ctx, "sl", texts, lengths, 2, storage, sizeof storage, status);
  NoteCode(notes, status);
  NoteText(notes, texts[1], lengths[1]);
  TF_OpKernelConstruction_GetAttrStringList(ctx, "sl", texts, lengths, 2, storage, 1, status);
  NoteCode(notes, status);
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "i", list, 3, status);
  NoteCode(notes, status);
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "il", (float*)list, 3, status);
  NoteCode(notes, status);
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "none", (float*)list, 0, status);
  NoteCode(notes, status);
  TF_DeleteStatus(status);
  return notes;
}

static void Compute(void* kernel, TF_OpKernelContext* ctx) {
  Notes notes = *(Notes*)kernel;
  TF_Status* status = TF_NewStatus();
  Note(&notes, TF_NumInputs(ctx));
  Note(&notes, TF_NumOutputs(ctx));
  Note(&notes, TF_InputDatatype(ctx, 1));
  Note(&notes, TF_ExpectedOutputDataType(ctx, 0));
  Note(&notes, TF_IsHostMemoryInput(ctx, 0, status));
  Note(&notes, TF_IsHostMemoryOutput(ctx, 0, status));
  Note(&notes, (int64_t)TF_GetFrameId(ctx));
  Note(&notes, TF_GetIterId(ctx));
  Note(&notes, TF_GetDeviceId(ctx));
  TF_StringView view = TF_GetResourceMgrDefaultContainerName(ctx);
  NoteText(&notes, view.data, view.len);

  static const char* const names[] = {"x", "many", "gone"};
  for (int i = 0; i < 3; ++i) {
    TF_InputRange_Args args = {.struct_size = TF_InputRange_Args_STRUCT_SIZE, .start = -7, .stop = -7, .status = status};
    TF_InputRange(ctx, names[i], &args);
    const int code = NoteCode(&notes, status);
    Note(&notes, code == TF_OK ? args.start : 0);
    Note(&notes, code == TF_OK ? args.stop : 0);
  }
  TF_Tensor* tensor = NULL;
  TF_GetInput(ctx, 9, &tensor, status);
  NoteCode(&notes, status);
  TF_GetInput(ctx, -1, &tensor, status);
  NoteCode(&notes, status);
  Note(&notes, tensor == NULL);
  TF_GetInput(ctx, 0, &tensor, status);
  NoteCode(&notes, status);
  Note(&notes, TF_NumDims(tensor));
  Note(&notes, TF_Dim(tensor, 1));
  Note(&notes, (int64_t)TF_TensorByteSize(tensor));
  Note(&notes, TF_TensorElementCount(tensor));
  TF_SetOutput(ctx, 7, tensor, status);
  NoteCode(&notes, status);
  (void)TF_GetStream(ctx, status);
  NoteCode(&notes, status);

  const int64_t six[] = {6};
  TF_AllocatorAttributes attributes = {.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, .on_host = 1};
  TF_Tensor* temporary = TF_AllocateTemp(ctx, TF_INT8, six, 1, &attributes, status);
  NoteCode(&notes, status);
  TF_TensorBitcastFrom(tensor, TF_INT32, temporary, six, 1, status);
  NoteCode(&notes, status);
  Note(&notes, TF_TensorType(temporary));
  TF_TensorBitcastFrom(tensor, TF_INT8, temporary, six, 1, status);
  NoteCode(&notes, status);
  TF_DeleteTensor(temporary);
  TF_DeleteTensor(tensor);

  const int64_t none[] = {0};
  temporary = TF_AllocateOutput(ctx, 1, TF_FLOAT, none, 1, 0, status);
  NoteCode(&notes, status);
  TF_DeleteTensor(temporary);
  const int64_t dims[] = {notes.count};
  TF_Tensor* output = TF_AllocateOutput(ctx, 0, TF_INT64, dims, 1, (size_t)dims[0] * 8, status);
  memcpy(TF_TensorData(output), notes.numbers, (size_t)dims[0] * 8);
  TF_DeleteTensor(output);
  TF_DeleteStatus(status);
}

// The numbers are the second output's dimensions; each is one more, since a dimension is not negative.
static void InferShapes(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  Notes notes = {.count = 0};
  TF_Status* own = TF_NewStatus();
  TF_ShapeHandle *x = TF_NewShapeHandle(), *result = TF_NewShapeHandle();
  TF_DimensionHandle* dim = TF_NewDimensionHandle();
  Note(&notes, TF_ShapeInferenceContextRankKnown(ctx, x));
  Note(&notes, TF_DimensionHandleValueKnown(dim));
  Note(&notes, TF_ShapeInferenceContextNumInputs(ctx));
  TF_ShapeInferenceContextGetInput(ctx, 9, x, own);
  NoteCode(&notes, own);
  TF_ShapeInferenceContextGetInput(ctx, -1, x, own);
  NoteCode(&notes, own);
  TF_ShapeInferenceContextGetInput(ctx, 0, x, own);
  NoteCode(&notes, own);
  Note(&notes, TF_ShapeInferenceContextRank(ctx, x));
  for (int64_t i = -2; i < 2; ++i) {
    TF_ShapeInferenceContextDim(ctx, x, i, dim);
    Note(&notes, TF_DimensionHandleValue(dim));
  }
  for (int64_t rank = 0; rank < 4; ++rank) {
    TF_ShapeInferenceContextWithRank(ctx, x, rank, result, own);
    NoteCode(&notes, own);
    TF_ShapeInferenceContextWithRankAtLeast(ctx, x, rank, result, own);
    NoteCode(&notes, own);
    TF_ShapeInferenceContextWithRankAtMost(ctx, x, rank, result, own);
    NoteCode(&notes, own);
  }
  for (int64_t start = -3; start <= 3; ++start) {
    for (int64_t end = -3; end <= 3; ++end) {
      TF_ShapeHandle* part = TF_NewShapeHandle();
      TF_ShapeInferenceContextSubshape(ctx, x, start, end, part, own);
      Note(&notes, NoteCode(&notes, own) == TF_OK ? TF_ShapeInferenceContextRank(ctx, part) : 0);
      TF_DeleteShapeHandle(part);
    }
  }
  TF_ShapeInferenceContextConcatenateShapes(ctx, x, x, result, own);
  NoteCode(&notes, own);
  Note(&notes, TF_ShapeInferenceContextRank(ctx, result));
  TF_DataType type = 0;
  TF_ShapeInferenceContext_GetAttrType(ctx, "t", &type, own);
  NoteCode(&notes, own);
  Note(&notes, type);
  TF_ShapeInferenceContext_GetAttrType(ctx, "i", &type, own);
  NoteCode(&notes, own);
  TF_ShapeInferenceContext_GetAttrType(ctx, "gone", &type, own);
  NoteCode(&notes, own);
  TF_ShapeInferenceContextSetOutput(ctx, 9, x, own);
  NoteCode(&notes, own);

  TF_ShapeHandle* all = TF_ShapeInferenceContextScalar(ctx);
  for (int i = 0; i < notes.count; ++i) {
    TF_ShapeHandle* one = TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)notes.numbers[i] + 1);
    TF_ShapeInferenceContextConcatenateShapes(ctx, all, one, all, own);
    TF_DeleteShapeHandle(one);
  }
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
  TF_ShapeInferenceContextSetOutput(ctx, 1, all, status);
  TF_DeleteShapeHandle(all);
  TF_DeleteShapeHandle(x);
  TF_DeleteShapeHandle(result);
  TF_DeleteDimensionHandle(dim);
  TF_DeleteStatus(own);
}

void TF_InitKernel(void) {
  static const char* const attributes[] = {
      "i: int = 3",          "il: list(int) = [4, -5, 6]",           "f: float = 7.0",
      "fl: list(float) = [8.0]", "b: bool = true",                   "bl: list(bool) = [true, false]",
      "s: string = 'text'",  "sl: list(string) = ['one', 'three']",  "t: type = DT_INT8",
      "tl: list(type) = [DT_HALF, DT_STRING]", "h: shape = { dim { size: 2 } dim { size: -1 } }",
      "hl: list(shape) = [{ dim { size: 2 } }, { unknown_rank: true }]", "none: list(int) = []", "N: int",
  };
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("Probe");
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; ++i) {
    TF_OpDefinitionBuilderAddAttr(op, attributes[i]);
  }
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddInput(op, "many: N * int32");
  TF_OpDefinitionBuilderAddOutput(op, "y: int64");
  TF_OpDefinitionBuilderAddOutput(op, "z: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, SHAPES);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder("Probe", TF_NewKernelBuilder("Probe", "CPU", Create, Compute, free), status);
  TF_DeleteStatus(status);
}
