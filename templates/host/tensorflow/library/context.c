// What a kernel can learn and do while it computes.

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "internal.h"

struct TF_OpKernelContext {
  const abigen_core_step* step;
  TF_Tensor** inputs;
  TF_Tensor** outputs;
  pthread_mutex_t lock;  // kernels may use a context from several threads
  TF_Status* failure;
  _Atomic int64_t deferred;
};

TF_OpKernelContext* abigen_core_new_context(const abigen_core_step* step) {
  TF_OpKernelContext* context = AllocateZeroed(1, sizeof(TF_OpKernelContext));
  context->step = step;
  context->inputs = AllocateZeroed((size_t)step->num_inputs, sizeof(TF_Tensor*));
  context->outputs = AllocateZeroed((size_t)step->num_outputs, sizeof(TF_Tensor*));
  for (int i = 0; i < step->num_inputs; ++i) {
    context->inputs[i] = ShareTensor(step->inputs[i]);
  }
  pthread_mutex_init(&context->lock, NULL);
  return context;
}

void abigen_core_delete_context(TF_OpKernelContext* context) {
  for (int i = 0; i < context->step->num_inputs; ++i) {
    TF_DeleteTensor(context->inputs[i]);
  }
  for (int i = 0; i < context->step->num_outputs; ++i) {
    TF_DeleteTensor(context->outputs[i]);
  }
  free(context->inputs);
  free(context->outputs);
  TF_DeleteStatus(context->failure);
  pthread_mutex_destroy(&context->lock);
  free(context);
}

const TF_Status* abigen_core_context_failure(const TF_OpKernelContext* context) { return context->failure; }

TF_Tensor* abigen_core_output(const TF_OpKernelContext* context, int index) {
  const TF_Tensor* output = context->outputs[index];
  return output == NULL ? NULL : ShareTensor(output);
}

int64_t abigen_core_deferred_ops(const TF_OpKernelContext* context) { return atomic_load(&context->deferred); }

static bool HasIndex(const char* what, int index, int count, TF_Status* status) {
  if (index < 0 || index >= count) {
    Fail(status, TF_OUT_OF_RANGE, "there is no %s %d of %d", what, index, count);
    return false;
  }
  Succeed(status);
  return true;
}

static void NeedIndex(const char* function, int index, int count) {
  if (index < 0 || index >= count) {
    Die(function, "there is no index %d among %d", index, count);
  }
}

static void PutOutput(TF_OpKernelContext* context, int index, TF_Tensor* tensor) {
  pthread_mutex_lock(&context->lock);
  TF_Tensor* before = context->outputs[index];
  context->outputs[index] = tensor;
  pthread_mutex_unlock(&context->lock);
  TF_DeleteTensor(before);
}

static bool HasType(const TF_OpKernelContext* context, int index, TF_DataType type, TF_Status* status) {
  int expected = context->step->output_types[index];
  if (expected != (int)type) {
    Fail(status, TF_INVALID_ARGUMENT, "output %d has data type %d, and op %s says %d", index, (int)type,
         context->step->node->op, expected);
    return false;
  }
  return true;
}

static TF_Tensor* AllocateIn(const TF_OpKernelContext* context, TF_DataType type, const int64_t* dims, int num_dims,
                             bool wants_host, TF_Status* status) {
  bool on_host = wants_host || !context->step->has_memory;
  int64_t count = num_dims < 0 ? -1 : CountElements(dims, num_dims);
  size_t element = TF_DataTypeSize(type);
  if (count < 0 || element == 0) {
    Fail(status, TF_INVALID_ARGUMENT, "op %s: no tensor has this shape and data type %d", context->step->node->op,
         (int)type);
    return NULL;
  }
  TF_Tensor* tensor = on_host ? TF_AllocateTensor(type, dims, num_dims, (size_t)count * element)
                              : AllocateTensorOnDevice(type, dims, num_dims, context->step);
  if (tensor == NULL) {
    Fail(status, TF_RESOURCE_EXHAUSTED, "op %s: no memory for %lld elements of data type %d",
         context->step->node->op, (long long)count, (int)type);
    return NULL;
  }
  Succeed(status);
  return tensor;
}

SP_Stream TF_GetStream(TF_OpKernelContext* ctx, TF_Status* status) {
  if (ctx->step->stream == NULL) {
    Fail(status, TF_FAILED_PRECONDITION, "device %s has no stream", ctx->step->device_name);
    return NULL;
  }
  Succeed(status);
  return (SP_Stream)ctx->step->stream;
}

int TF_NumInputs(TF_OpKernelContext* ctx) { return ctx->step->num_inputs; }
int TF_NumOutputs(TF_OpKernelContext* ctx) { return ctx->step->num_outputs; }

void TF_GetInput(TF_OpKernelContext* ctx, int i, TF_Tensor** tensor, TF_Status* status) {
  if (HasIndex("input", i, ctx->step->num_inputs, status)) {
    *tensor = ShareTensor(ctx->inputs[i]);
  }
}

void TF_InputRange(TF_OpKernelContext* ctx, const char* name, TF_InputRange_Args* args) {
  for (size_t i = 0; i < ctx->step->num_ranges; ++i) {
    const abigen_core_range* range = &ctx->step->ranges[i];
    if (strcmp(range->name, name) == 0) {
      args->start = range->start;
      args->stop = range->stop;
      Succeed(args->status);
      return;
    }
  }
  Fail(args->status, TF_INVALID_ARGUMENT, "op %s has no input \"%s\"", ctx->step->node->op, name);
}

TF_DataType TF_InputDatatype(TF_OpKernelContext* ctx, int index) {
  NeedIndex("TF_InputDatatype", index, ctx->step->num_inputs);
  return TF_TensorType(ctx->inputs[index]);
}

void TF_SetOutput(TF_OpKernelContext* ctx, int i, const TF_Tensor* tensor, TF_Status* status) {
  if (HasIndex("output", i, ctx->step->num_outputs, status) && HasType(ctx, i, TF_TensorType(tensor), status)) {
    PutOutput(ctx, i, ShareTensor(tensor));
  }
}

TF_Tensor* TF_GetMutableOutput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  if (!HasIndex("output", i, ctx->step->num_outputs, status)) {
    return NULL;
  }
  pthread_mutex_lock(&ctx->lock);
  TF_Tensor* shared = ctx->outputs[i] == NULL ? NULL : ShareTensor(ctx->outputs[i]);
  pthread_mutex_unlock(&ctx->lock);
  if (shared == NULL) {
    Fail(status, TF_FAILED_PRECONDITION, "output %d has not been set", i);
  }
  return shared;
}

TF_Tensor* TF_AllocateOutput(TF_OpKernelContext* ctx, int index, TF_DataType dtype, const int64_t* dims, int num_dims,
                             size_t len, TF_Status* status) {
  (void)len;  // follows from type and shape
  if (!HasIndex("output", index, ctx->step->num_outputs, status) || !HasType(ctx, index, dtype, status)) {
    return NULL;
  }
  TF_Tensor* tensor = AllocateIn(ctx, dtype, dims, num_dims, ctx->step->outputs_on_host[index], status);
  if (tensor != NULL) {
    PutOutput(ctx, index, ShareTensor(tensor));
  }
  return tensor;
}

TF_Tensor* TF_ForwardInputOrAllocateOutput(TF_OpKernelContext* ctx, const int* candidates, int num_candidates,
                                           int output_index, const int64_t* dims, int num_dims, int* forwarded_input,
                                           TF_Status* status) {
  if (forwarded_input != NULL) {
    *forwarded_input = -1;
  }
  if (!HasIndex("output", output_index, ctx->step->num_outputs, status)) {
    return NULL;
  }
  TF_DataType type = (TF_DataType)ctx->step->output_types[output_index];
  bool on_host = ctx->step->outputs_on_host[output_index] || !ctx->step->has_memory;
  for (int i = 0; i < num_candidates; ++i) {
    if (!HasIndex("input", candidates[i], ctx->step->num_inputs, status)) {
      return NULL;
    }
    TF_Tensor* tensor = ReuseTensor(ctx->inputs[candidates[i]], type, dims, num_dims, on_host);
    if (tensor != NULL) {
      if (forwarded_input != NULL) {
        *forwarded_input = candidates[i];
      }
      PutOutput(ctx, output_index, ShareTensor(tensor));
      return tensor;
    }
  }
  return TF_AllocateOutput(ctx, output_index, type, dims, num_dims, 0, status);
}

TF_Tensor* TF_AllocateTemp(TF_OpKernelContext* ctx, TF_DataType dtype, const int64_t* dims, int num_dims,
                           TF_AllocatorAttributes* alloc_attrs, TF_Status* status) {
  const size_t needed = TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host);
  bool on_host = alloc_attrs != NULL && alloc_attrs->struct_size >= needed && alloc_attrs->on_host;
  return AllocateIn(ctx, dtype, dims, num_dims, on_host, status);
}

void TF_OpKernelContext_Failure(TF_OpKernelContext* ctx, TF_Status* status) {
  TF_Status* copy = CopyStatus(status);
  pthread_mutex_lock(&ctx->lock);
  if (ctx->failure == NULL) {
    ctx->failure = copy;
    copy = NULL;
  }
  pthread_mutex_unlock(&ctx->lock);
  TF_DeleteStatus(copy);  // the first failure is the cause of the others
}

TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext* ctx, int i) {
  NeedIndex("TF_ExpectedOutputDataType", i, ctx->step->num_outputs);
  return (TF_DataType)ctx->step->output_types[i];
}

bool TF_IsHostMemoryInput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  NeedIndex("TF_IsHostMemoryInput", i, ctx->step->num_inputs);
  Succeed(status);
  return ctx->step->inputs_on_host[i];
}

bool TF_IsHostMemoryOutput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  NeedIndex("TF_IsHostMemoryOutput", i, ctx->step->num_outputs);
  Succeed(status);
  return ctx->step->outputs_on_host[i];
}

static TF_StringView View(const char* text) { return (TF_StringView){text, strlen(text)}; }

int64_t TF_StepId(TF_OpKernelContext* ctx) { return ctx->step->step_id; }
int64_t TF_GetStepId(TF_OpKernelContext* ctx) { return ctx->step->step_id; }
int TF_GetDeviceId(TF_OpKernelContext* ctx) { return ctx->step->device_id; }
TF_StringView TF_GetDeviceName(TF_OpKernelContext* ctx) { return View(ctx->step->device_name); }
TF_StringView TF_GetOpKernelName(TF_OpKernelContext* ctx) { return View(ctx->step->node->name); }

TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext* ctx, size_t index) {
  NeedIndex("TF_GetOpKernelRequestedInput", index > INT32_MAX ? -1 : (int)index, ctx->step->num_inputs);
  return View(ctx->step->input_names[index]);
}

// There is one frame, one iteration, one container, and no graph around a node.
uint64_t TF_GetFrameId(TF_OpKernelContext* ctx) { return (void)ctx, (uint64_t)0; }
int64_t TF_GetIterId(TF_OpKernelContext* ctx) { return (void)ctx, (int64_t)0; }
int TF_GetGraphDefVersion(TF_OpKernelContext* ctx) { return (void)ctx, 0; }
TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext* ctx) { return (void)ctx, View(""); }

// A message without fields takes no bytes (protocol buffers, "Encoding").
static void PutEmptyMessage(TF_Buffer* buffer, TF_Status* status) {
  *buffer = (TF_Buffer){NULL, 0, NULL};
  Succeed(status);
}

void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext* ctx, TF_Buffer* buffer, TF_Status* status) {
  (void)ctx;
  PutEmptyMessage(buffer, status);
}

void TF_GetSerializedConfigProto(TF_OpKernelContext* ctx, TF_Buffer* buffer, TF_Status* status) {
  (void)ctx;
  PutEmptyMessage(buffer, status);
}

void TF_GetSerializedResourceHandleProto(TF_OpKernelContext* ctx, int i, TF_Buffer* buffer, TF_Status* status) {
  (void)buffer;
  if (HasIndex("input", i, ctx->step->num_inputs, status)) {
    Fail(status, TF_UNIMPLEMENTED, "input %d: this core has no resources", i);
  }
}

static const char kNoRendezvous[] = "this core runs one op at a time and has no rendezvous";

static void RefuseSend(void* rendezvous, TF_RendezvousSend_Params* params) {
  (void)rendezvous;
  TF_SetStatus(params->status, TF_UNIMPLEMENTED, kNoRendezvous);
}

static void RefuseReceive(void* rendezvous, TF_RendezvousAsyncRecv_Params* params) {
  (void)rendezvous;
  TF_Status* status = TF_NewStatus();
  TF_SetStatus(status, TF_UNIMPLEMENTED, kNoRendezvous);
  TF_RendezvousDoneCallback_Params done = {.context = params->on_done.context, .status = status};
  params->on_done.callback(params->on_done.context, &done);
  TF_DeleteStatus(status);
}

static void IgnoreAbort(void* rendezvous, const TF_Status* status) { (void)rendezvous, (void)status; }

TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext* ctx) {
  (void)ctx;
  return (TF_RendezvousThunk){NULL, RefuseSend, RefuseReceive, IgnoreAbort};
}

void TF_IncNumDeferredOps(TF_OpKernelContext* context) { atomic_fetch_add(&context->deferred, 1); }
void TF_DecNumDeferredOps(TF_OpKernelContext* context) { atomic_fetch_sub(&context->deferred, 1); }

struct TF_AsyncOpKernelDoneCallback {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t calls;
};

TF_AsyncOpKernelDoneCallback* abigen_core_new_done(void) {
  TF_AsyncOpKernelDoneCallback* done = AllocateZeroed(1, sizeof(TF_AsyncOpKernelDoneCallback));
  pthread_mutex_init(&done->lock, NULL);
  pthread_cond_init(&done->changed, NULL);
  return done;
}

void abigen_core_delete_done(TF_AsyncOpKernelDoneCallback* done) {
  pthread_cond_destroy(&done->changed);
  pthread_mutex_destroy(&done->lock);
  free(done);
}

void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback* done) {
  pthread_mutex_lock(&done->lock);
  done->calls += 1;
  pthread_cond_broadcast(&done->changed);
  pthread_mutex_unlock(&done->lock);
}

int abigen_core_wait_done(TF_AsyncOpKernelDoneCallback* done, int64_t milliseconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  int64_t nanoseconds = until.tv_nsec + milliseconds % 1000 * 1000000;
  until.tv_sec += (time_t)(milliseconds / 1000 + nanoseconds / 1000000000);
  until.tv_nsec = (long)(nanoseconds % 1000000000);
  pthread_mutex_lock(&done->lock);
  int outcome = 0;
  while (done->calls == 0 && outcome != ETIMEDOUT) {
    outcome = pthread_cond_timedwait(&done->changed, &done->lock, &until);
  }
  int finished = done->calls > 0;
  pthread_mutex_unlock(&done->lock);
  return finished;
}

int64_t abigen_core_done_calls(TF_AsyncOpKernelDoneCallback* done) {
  pthread_mutex_lock(&done->lock);
  int64_t calls = done->calls;
  pthread_mutex_unlock(&done->lock);
  return calls;
}
