// A plugin that registers kernels and ops; TYPE is the device type that its kernels are for.

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#ifndef TYPE
#define TYPE "XPU"
#endif

int live_kernels;

static void Report(TF_OpKernelContext* ctx, TF_Status* status) {
  if (TF_GetCode(status) != TF_OK) {
    TF_OpKernelContext_Failure(ctx, status);
  }
}

static void* CreateCounted(TF_OpKernelConstruction* ctx) {
  (void)ctx;
  live_kernels += 1;
  return malloc(1);
}
static void DeleteCounted(void* kernel) {
  live_kernels -= 1;
  free(kernel);
}

// Same shape, or one side with one element.
static void Add(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL, *z = NULL;
  TF_GetInput(ctx, 0, &x, status);
  TF_GetInput(ctx, 1, &y, status);
  int64_t nx = TF_TensorElementCount(x), ny = TF_TensorElementCount(y);
  if (nx != ny && nx != 1 && ny != 1) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "shapes differ");
  }
  if (TF_GetCode(status) == TF_OK) {
    const TF_Tensor* larger = nx >= ny ? x : y;
    int64_t dims[8];
    for (int i = 0; i < TF_NumDims(larger); ++i) {
      dims[i] = TF_Dim(larger, i);
    }
    z = TF_AllocateOutput(ctx, 0, TF_ExpectedOutputDataType(ctx, 0), dims, TF_NumDims(larger),
                          TF_TensorByteSize(larger), status);
  }
  if (TF_GetCode(status) == TF_OK) {
    for (int64_t i = 0; i < TF_TensorElementCount(z); ++i) {
      if (TF_TensorType(z) == TF_FLOAT) {
        ((float*)TF_TensorData(z))[i] =
            ((float*)TF_TensorData(x))[nx == 1 ? 0 : i] + ((float*)TF_TensorData(y))[ny == 1 ? 0 : i];
      } else {
        ((int32_t*)TF_TensorData(z))[i] =
            ((int32_t*)TF_TensorData(x))[nx == 1 ? 0 : i] + ((int32_t*)TF_TensorData(y))[ny == 1 ? 0 : i];
      }
    }
  }
  Report(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteTensor(z);
  TF_DeleteStatus(status);
}

// The op "Scale": factor times x, and how many elements there are, in the host's memory.
typedef struct Scale {
  float factor;
} Scale;

static void* CreateScale(TF_OpKernelConstruction* ctx) {
  Scale* scale = malloc(sizeof(Scale));
  TF_Status* status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrFloat(ctx, "factor", &scale->factor, status);
  if (TF_GetCode(status) == TF_OK && scale->factor == 0) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "a factor of 0 makes no sense");
  }
  if (TF_GetCode(status) != TF_OK) {
    TF_OpKernelConstruction_Failure(ctx, status);
  }
  TF_DeleteStatus(status);
  live_kernels += 1;
  return scale;
}

static void ComputeScale(void* kernel, TF_OpKernelContext* ctx) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  int64_t dims[8];
  for (int i = 0; i < TF_NumDims(x); ++i) {
    dims[i] = TF_Dim(x, i);
  }
  int candidate = 0, forwarded = -1;
  TF_Tensor* y = TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, dims, TF_NumDims(x), &forwarded, status);
  TF_Tensor* count = TF_AllocateOutput(ctx, 1, TF_INT64, NULL, 0, 8, status);
  if (TF_GetCode(status) == TF_OK && TF_IsHostMemoryOutput(ctx, 1, status)) {
    *(int64_t*)TF_TensorData(count) = TF_TensorElementCount(x);
  }
  for (int64_t i = 0; TF_GetCode(status) == TF_OK && i < TF_TensorElementCount(x); ++i) {
    ((float*)TF_TensorData(y))[i] = ((Scale*)kernel)->factor * ((float*)TF_TensorData(x))[i];
  }
  Report(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteTensor(count);
  TF_DeleteStatus(status);
}

static void ScaleShapes(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  TF_ShapeHandle* scalar = TF_ShapeInferenceContextScalar(ctx);
  if (TF_GetCode(status) == TF_OK) {
    TF_ShapeInferenceContextWithRankAtMost(ctx, shape, 3, shape, status);
  }
  if (TF_GetCode(status) == TF_OK) {
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 1, scalar, status);
  }
  TF_DeleteShapeHandle(shape);
  TF_DeleteShapeHandle(scalar);
}

// The op "Later": gives its input back, from another thread.
typedef struct Later {
  TF_OpKernelContext* ctx;
  TF_AsyncOpKernelDoneCallback* done;
} Later;

static void* GiveBack(void* argument) {
  Later* later = argument;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_GetInput(later->ctx, 0, &x, status);
  TF_SetOutput(later->ctx, 0, x, status);
  Report(later->ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
  TF_RunAsyncOpKernelDoneCallback(later->done);
  free(later);
  return NULL;
}

static void ComputeLater(void* kernel, TF_OpKernelContext* ctx, TF_AsyncOpKernelDoneCallback* done) {
  (void)kernel;
  Later* later = malloc(sizeof(Later));
  *later = (Later){ctx, done};
  pthread_t thread;
  pthread_create(&thread, NULL, GiveBack, later);
  pthread_detach(thread);
}

// The op "Silent" sets no output.
static void ComputeNothing(void* kernel, TF_OpKernelContext* ctx) { (void)kernel, (void)ctx; }

// The op "Trouble" ends the process in the way that its attribute names, or does not come back; "print" writes to
// stdout, also when the process ends, and "close" closes whatever there is.
static void* CreateTrouble(TF_OpKernelConstruction* ctx) {
  char how[8] = "";
  TF_Status* status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrString(ctx, "how", how, sizeof how - 1, status);
  TF_DeleteStatus(status);
  return strdup(how);
}

static void ComputeTrouble(void* kernel, TF_OpKernelContext* ctx) {
  (void)ctx;
  const char* how = kernel;
  if (strcmp(how, "crash") == 0) {
    raise(SIGSEGV);
  } else if (strcmp(how, "abort") == 0) {
    abort();
  } else if (strcmp(how, "exit") == 0) {
    exit(3);
  } else if (strcmp(how, "print") == 0) {
    puts("{\"op\": \"something else\"}");
    fflush(stdout);
    return;
  } else if (strcmp(how, "close") == 0) {
    for (int descriptor = 0; descriptor < 64; ++descriptor) {
      close(descriptor);
    }
    return;
  }
  for (;;) {
    pause();
  }
}

// The op "Sloppy" gives its input back, forgets to delete it, and announces work that it never ends.
static void ComputeSloppy(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_GetInput(ctx, 0, &x, status);
  TF_SetOutput(ctx, 0, x, status);
  if (TF_TensorElementCount(x) > 1) {
    TF_IncNumDeferredOps(ctx);
    TF_DeleteTensor(x);
  }
  TF_DeleteStatus(status);
}

static void RegisterOps(TF_Status* status) {
  TF_OpDefinitionBuilder* scale = TF_NewOpDefinitionBuilder("Scale");
  TF_OpDefinitionBuilderAddAttr(scale, "factor: float = 2.0");
  TF_OpDefinitionBuilderAddInput(scale, "x: float");
  TF_OpDefinitionBuilderAddOutput(scale, "y: float");
  TF_OpDefinitionBuilderAddOutput(scale, "count: int64");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(scale, ScaleShapes);
  TF_RegisterOpDefinition(scale, status);

  TF_OpDefinitionBuilder* later = TF_NewOpDefinitionBuilder("Later");
  TF_OpDefinitionBuilderAddAttr(later, "T: type");
  TF_OpDefinitionBuilderAddInput(later, "x: T");
  TF_OpDefinitionBuilderAddOutput(later, "y: T");
  TF_RegisterOpDefinition(later, status);

  TF_OpDefinitionBuilder* silent = TF_NewOpDefinitionBuilder("Silent");
  TF_OpDefinitionBuilderAddOutput(silent, "y: float");
  TF_RegisterOpDefinition(silent, status);

  TF_OpDefinitionBuilder* sloppy = TF_NewOpDefinitionBuilder("Sloppy");
  TF_OpDefinitionBuilderAddInput(sloppy, "x: float");
  TF_OpDefinitionBuilderAddOutput(sloppy, "y: float");
  TF_RegisterOpDefinition(sloppy, status);

  TF_OpDefinitionBuilder* trouble = TF_NewOpDefinitionBuilder("Trouble");
  TF_OpDefinitionBuilderAddAttr(trouble, "how: {'crash', 'abort', 'exit', 'hang', 'print', 'close'}");
  TF_RegisterOpDefinition(trouble, status);

  TF_OpDefinitionBuilder* wrong = TF_NewOpDefinitionBuilder("Wrong");
  TF_OpDefinitionBuilderAddInput(wrong, "x: nonsense");
  TF_RegisterOpDefinition(wrong, status);
}

static void RegisterAdd(const char* device, TF_DataType type, TF_Status* status) {
  TF_KernelBuilder* builder = TF_NewKernelBuilder("AddV2", device, CreateCounted, Add, DeleteCounted);
  TF_KernelBuilder_TypeConstraint(builder, "T", type, status);
  TF_RegisterKernelBuilder("Add", builder, status);
}

void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  RegisterOps(status);
  RegisterAdd(TYPE, TF_FLOAT, status);
  RegisterAdd("CPU", TF_INT32, status);
  TF_KernelBuilder* scale = TF_NewKernelBuilder("Scale", TYPE, CreateScale, ComputeScale, DeleteCounted);
  TF_KernelBuilder_HostMemory(scale, "count");
  TF_RegisterKernelBuilder("Scale", scale, status);
  TF_RegisterKernelBuilder("Later", TF_NewAsyncKernelBuilder("Later", "DEFAULT", NULL, ComputeLater, NULL), status);
  TF_RegisterKernelBuilder("Trouble", TF_NewKernelBuilder("Trouble", TYPE, CreateTrouble, ComputeTrouble, free), status);
  TF_RegisterKernelBuilder("Sloppy", TF_NewKernelBuilder("Sloppy", TYPE, NULL, ComputeSloppy, NULL), status);
  TF_RegisterKernelBuilder("Silent", TF_NewKernelBuilder("Silent", TYPE, NULL, ComputeNothing, NULL), status);
  TF_DeleteStatus(status);
}
