/* A plugin for TensorFlow, written against nothing but the generated headers: a device named XPU, whose memory is the
   host's and whose work is done at once, and a kernel that adds floats on it.
   cc -std=c11 -shared -fPIC -I generated/tensorflow/c tests/specs/plugin.c -o plugin.so */
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor_helpers.h"
#include "tensorflow/c/kernels.h"

struct SP_Stream_st {
  int unused;
};
struct SP_Event_st {
  int unused;
};
struct SP_Timer_st {
  int unused;
};

/* Core always hands over objects with their size set; one that is too small for what follows is refused. */
static void refuse(TF_Status* status) { TF_SetStatus(status, TF_FAILED_PRECONDITION, "core is too old"); }

static void succeed(TF_Status* status) { TF_SetStatus(status, TF_OK, ""); }

static void allocate(const SP_Device* device, uint64_t size, int64_t memory_space, SP_DeviceMemoryBase* mem) {
  (void)device, (void)memory_space;
  if (SP_DeviceMemoryBase_Init(mem, mem->struct_size) >= SP_DEVICE_MEMORY_BASE_STRUCT_SIZE_0_0_1) {
    mem->opaque = aligned_alloc(64, (size + 63) / 64 * 64);
    mem->size = mem->opaque != NULL ? size : 0;
  }
}

static void deallocate(const SP_Device* device, SP_DeviceMemoryBase* mem) {
  (void)device;
  free(mem->opaque);
  mem->opaque = NULL;
  mem->size = 0;
}

static void* host_allocate(const SP_Device* device, uint64_t size) {
  (void)device;
  return malloc(size);
}

static void host_deallocate(const SP_Device* device, void* mem) {
  (void)device;
  free(mem);
}

static TF_Bool get_allocator_stats(const SP_Device* device, SP_AllocatorStats* stats) {
  (void)device, (void)stats;
  return 0;
}

static TF_Bool device_memory_usage(const SP_Device* device, int64_t* free_bytes, int64_t* total_bytes) {
  (void)device;
  *free_bytes = *total_bytes = INT64_C(1) << 30;
  return 1;
}

static void create_stream(const SP_Device* device, SP_Stream* stream, TF_Status* status) {
  (void)device;
  *stream = calloc(1, sizeof **stream);
  succeed(status);
}

static void destroy_stream(const SP_Device* device, SP_Stream stream) {
  (void)device;
  free(stream);
}

static void create_stream_dependency(const SP_Device* device, SP_Stream dependent, SP_Stream other,
                                     TF_Status* status) {
  (void)device, (void)dependent, (void)other;
  succeed(status);
}

static void work_is_done(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  (void)device, (void)stream;
  succeed(status);
}

static void create_event(const SP_Device* device, SP_Event* event, TF_Status* status) {
  (void)device;
  *event = calloc(1, sizeof **event);
  succeed(status);
}

static void destroy_event(const SP_Device* device, SP_Event event) {
  (void)device;
  free(event);
}

static SE_EventStatus get_event_status(const SP_Device* device, SP_Event event) {
  (void)device, (void)event;
  return SE_EVENT_COMPLETE;
}

static void pass_event(const SP_Device* device, SP_Stream stream, SP_Event event, TF_Status* status) {
  (void)device, (void)stream, (void)event;
  succeed(status);
}

static void create_timer(const SP_Device* device, SP_Timer* timer, TF_Status* status) {
  (void)device;
  *timer = calloc(1, sizeof **timer);
  succeed(status);
}

static void destroy_timer(const SP_Device* device, SP_Timer timer) {
  (void)device;
  free(timer);
}

static void pass_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer, TF_Status* status) {
  (void)device, (void)stream, (void)timer;
  succeed(status);
}

static uint64_t nanoseconds(SP_Timer timer) {
  (void)timer;
  return 0;
}

static void copy_to_host(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                         TF_Status* status) {
  (void)device;
  memcpy(to, from->opaque, size);
  succeed(status);
}

static void copy_to_device(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from, uint64_t size,
                           TF_Status* status) {
  (void)device;
  memcpy(to->opaque, from, size);
  succeed(status);
}

static void copy_within(const SP_Device* device, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                        uint64_t size, TF_Status* status) {
  copy_to_device(device, to, from->opaque, size, status);
}

static void enqueue_copy_to_host(const SP_Device* device, SP_Stream stream, void* to, const SP_DeviceMemoryBase* from,
                                 uint64_t size, TF_Status* status) {
  (void)stream;
  copy_to_host(device, to, from, size, status);
}

static void enqueue_copy_to_device(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                                   const void* from, uint64_t size, TF_Status* status) {
  (void)stream;
  copy_to_device(device, to, from, size, status);
}

static void enqueue_copy_within(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                                const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  (void)stream;
  copy_within(device, to, from, size, status);
}

static void fill(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* location, uint8_t pattern,
                 uint64_t size, TF_Status* status) {
  (void)device, (void)stream;
  memset(location->opaque, pattern, size);
  succeed(status);
}

static void fill_zero(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* location, uint64_t size,
                      TF_Status* status) {
  fill(device, stream, location, 0, size, status);
}

static void fill32(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* location, uint32_t pattern,
                   uint64_t size, TF_Status* status) {
  uint64_t at;
  (void)device, (void)stream;
  for (at = 0; at + sizeof pattern <= size; at += sizeof pattern) {
    memcpy((char*)location->opaque + at, &pattern, sizeof pattern);
  }
  succeed(status);
}

static void block_host_for_event(const SP_Device* device, SP_Event event, TF_Status* status) {
  (void)device, (void)event;
  succeed(status);
}

static void synchronize_all_activity(const SP_Device* device, TF_Status* status) {
  (void)device;
  succeed(status);
}

static TF_Bool host_callback(const SP_Device* device, SP_Stream stream, SE_StatusCallbackFn callback, void* argument) {
  TF_Status* status = TF_NewStatus();
  TF_Bool done;
  (void)device, (void)stream;
  callback(argument, status);
  done = TF_GetCode(status) == TF_OK;
  TF_DeleteStatus(status);
  return done;
}

static void create_device(const SP_Platform* platform, SE_CreateDeviceParams* params, TF_Status* status) {
  (void)platform;
  if (SP_Device_Init(params->device, params->device->struct_size) < SP_DEVICE_STRUCT_SIZE_0_0_1) {
    refuse(status);
    return;
  }
  params->device->ordinal = params->ordinal;
  params->device->hardware_name = "abigen's own";
  succeed(status);
}

static void destroy_device(const SP_Platform* platform, SP_Device* device) { (void)platform, (void)device; }

static void create_device_fns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params, TF_Status* status) {
  (void)platform;
  SP_DeviceFns_Init(params->device_fns, params->device_fns->struct_size);
  succeed(status);
}

static void destroy_device_fns(const SP_Platform* platform, SP_DeviceFns* fns) { (void)platform, (void)fns; }

static void create_stream_executor(const SP_Platform* platform, SE_CreateStreamExecutorParams* params,
                                   TF_Status* status) {
  SP_StreamExecutor* const executor = params->stream_executor;
  (void)platform;
  if (SP_StreamExecutor_Init(executor, executor->struct_size) < SP_STREAMEXECUTOR_STRUCT_SIZE_0_0_1) {
    refuse(status);
    return;
  }
  executor->allocate = allocate;
  executor->deallocate = deallocate;
  executor->host_memory_allocate = host_allocate;
  executor->host_memory_deallocate = host_deallocate;
  executor->get_allocator_stats = get_allocator_stats;
  executor->device_memory_usage = device_memory_usage;
  executor->create_stream = create_stream;
  executor->destroy_stream = destroy_stream;
  executor->create_stream_dependency = create_stream_dependency;
  executor->get_stream_status = work_is_done;
  executor->create_event = create_event;
  executor->destroy_event = destroy_event;
  executor->get_event_status = get_event_status;
  executor->record_event = pass_event;
  executor->wait_for_event = pass_event;
  executor->create_timer = create_timer;
  executor->destroy_timer = destroy_timer;
  executor->start_timer = pass_timer;
  executor->stop_timer = pass_timer;
  executor->memcpy_dtoh = enqueue_copy_to_host;
  executor->memcpy_htod = enqueue_copy_to_device;
  executor->memcpy_dtod = enqueue_copy_within;
  executor->sync_memcpy_dtoh = copy_to_host;
  executor->sync_memcpy_htod = copy_to_device;
  executor->sync_memcpy_dtod = copy_within;
  executor->block_host_for_event = block_host_for_event;
  executor->block_host_until_done = work_is_done;
  executor->synchronize_all_activity = synchronize_all_activity;
  executor->mem_zero = fill_zero;
  executor->memset = fill;
  executor->memset32 = fill32;
  executor->host_callback = host_callback;
  succeed(status);
}

static void destroy_stream_executor(const SP_Platform* platform, SP_StreamExecutor* executor) {
  (void)platform, (void)executor;
}

static void create_timer_fns(const SP_Platform* platform, SP_TimerFns* fns, TF_Status* status) {
  (void)platform;
  if (SP_TimerFns_Init(fns, fns->struct_size) < SP_TIMER_FNS_STRUCT_SIZE_0_0_1) {
    refuse(status);
    return;
  }
  fns->nanoseconds = nanoseconds;
  succeed(status);
}

static void destroy_timer_fns(const SP_Platform* platform, SP_TimerFns* fns) { (void)platform, (void)fns; }

static void get_device_count(const SP_Platform* platform, int* count, TF_Status* status) {
  (void)platform;
  *count = 1;
  succeed(status);
}

static void destroy_platform(SP_Platform* platform) { (void)platform; }

static void destroy_platform_fns(SP_PlatformFns* fns) { (void)fns; }

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  SP_Platform* platform;
  SP_PlatformFns* fns;
  if (params->major_version != SE_MAJOR || !SE_PLATFORM_REGISTRATION_PARAMS_HAS_FIELD(params, destroy_platform_fns)) {
    refuse(status);
    return;
  }
  platform = params->platform;
  fns = params->platform_fns;
  if (SP_Platform_Init(platform, platform->struct_size) < SP_PLATFORM_STRUCT_SIZE_0_0_1 ||
      SP_PlatformFns_Init(fns, fns->struct_size) < SP_PLATFORM_FNS_STRUCT_SIZE_0_0_1) {
    refuse(status);
    return;
  }
  platform->name = "ABIGEN";
  platform->type = "XPU";
  fns->get_device_count = get_device_count;
  fns->create_device = create_device;
  fns->destroy_device = destroy_device;
  fns->create_device_fns = create_device_fns;
  fns->destroy_device_fns = destroy_device_fns;
  fns->create_stream_executor = create_stream_executor;
  fns->destroy_stream_executor = destroy_stream_executor;
  fns->create_timer_fns = create_timer_fns;
  fns->destroy_timer_fns = destroy_timer_fns;
  params->destroy_platform = destroy_platform;
  params->destroy_platform_fns = destroy_platform_fns;
  succeed(status);
}

/* Adds two tensors of floats of one shape. */
static void add(void* kernel, TF_OpKernelContext* ctx) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor *a = NULL, *b = NULL, *sum = NULL;
  int64_t dims[8];
  int64_t at;
  int rank;
  (void)kernel;
  TF_GetInput(ctx, 0, &a, status);
  if (TF_GetCode(status) == TF_OK) TF_GetInput(ctx, 1, &b, status);
  if (TF_GetCode(status) == TF_OK && (TF_NumDims(a) > 8 || TF_TensorByteSize(a) != TF_TensorByteSize(b))) {
    TF_SetStatus(status, TF_UNIMPLEMENTED, "shapes differ");
  }
  if (TF_GetCode(status) == TF_OK) {
    for (rank = 0; rank < TF_NumDims(a); ++rank) dims[rank] = TF_Dim(a, rank);
    sum = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(a), TF_TensorByteSize(a), status);
  }
  if (TF_GetCode(status) == TF_OK) {
    const float* const x = TF_TensorData(a);
    const float* const y = TF_TensorData(b);
    float* const z = TF_TensorData(sum);
    for (at = 0; at < TF_TensorElementCount(a); ++at) z[at] = x[at] + y[at];
  } else {
    TF_OpKernelContext_Failure(ctx, status);
  }
  if (a) TF_DeleteTensor(a);
  if (b) TF_DeleteTensor(b);
  if (sum) TF_DeleteTensor(sum);
  TF_DeleteStatus(status);
}

__attribute__((visibility("default"))) void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* builder = TF_NewKernelBuilder("AddV2", "XPU", NULL, add, NULL);
  TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
  if (TF_GetCode(status) == TF_OK) TF_RegisterKernelBuilder("AbigenAdd", builder, status);
  TF_DeleteStatus(status);
}
