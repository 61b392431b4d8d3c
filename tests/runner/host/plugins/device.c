// A plugin with devices in the host's memory: everything is done at once, in the order in which it is enqueued.
//
// NAME, TYPE and DEVICES are set on the compiler's command line; BFC is 1 where the core is to divide the memory.

#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

#ifndef NAME
#define NAME "TOY"
#endif
#ifndef TYPE
#define TYPE "XPU"
#endif
#ifndef DEVICES
#define DEVICES 2
#endif
#ifndef BFC
#define BFC 1
#endif

struct SP_Stream_st { int unused; };
struct SP_Event_st { int unused; };
struct SP_Timer_st { int unused; };

// What has been taken and not been given back, for tests to look at.
int live_streams, live_blocks, live_devices;

static void Allocate(const SP_Device* device, uint64_t size, int64_t space, SP_DeviceMemoryBase* mem) {
  (void)device, (void)space;
  mem->opaque = size > (64u << 20) ? NULL : aligned_alloc(256, (size + 255) / 256 * 256);
  mem->size = size;
  live_blocks += mem->opaque != NULL;
}

static void Deallocate(const SP_Device* device, SP_DeviceMemoryBase* mem) {
  (void)device;
  live_blocks -= mem->opaque != NULL;
  free(mem->opaque);
}

static void* HostAllocate(const SP_Device* device, uint64_t size) {
  (void)device;
  return malloc(size);
}
static void HostDeallocate(const SP_Device* device, void* mem) {
  (void)device;
  free(mem);
}
static TF_Bool GetStats(const SP_Device* device, SP_AllocatorStats* stats) {
  (void)device, (void)stats;
  return 0;
}
static TF_Bool GetUsage(const SP_Device* device, int64_t* free_bytes, int64_t* total) {
  (void)device;
  *free_bytes = *total = 32 << 20;
  return 1;
}
static void CreateStream(const SP_Device* device, SP_Stream* stream, TF_Status* status) {
  (void)device;
  *stream = calloc(1, sizeof(**stream));
  live_streams += 1;
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyStream(const SP_Device* device, SP_Stream stream) {
  (void)device;
  live_streams -= 1;
  free(stream);
}
static void Depend(const SP_Device* device, SP_Stream dependent, SP_Stream other, TF_Status* status) {
  (void)device, (void)dependent, (void)other;
  TF_SetStatus(status, TF_OK, "");
}
static void StreamStatus(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  (void)device, (void)stream;
  TF_SetStatus(status, TF_OK, "");
}
static void CreateEvent(const SP_Device* device, SP_Event* event, TF_Status* status) {
  (void)device;
  *event = calloc(1, sizeof(**event));
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyEvent(const SP_Device* device, SP_Event event) {
  (void)device;
  free(event);
}
static SE_EventStatus EventStatus(const SP_Device* device, SP_Event event) {
  (void)device, (void)event;
  return SE_EVENT_COMPLETE;
}
static void RecordEvent(const SP_Device* device, SP_Stream stream, SP_Event event, TF_Status* status) {
  (void)device, (void)stream, (void)event;
  TF_SetStatus(status, TF_OK, "");
}
static void CreateTimer(const SP_Device* device, SP_Timer* timer, TF_Status* status) {
  (void)device;
  *timer = calloc(1, sizeof(**timer));
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyTimer(const SP_Device* device, SP_Timer timer) {
  (void)device;
  free(timer);
}
static void RunTimer(const SP_Device* device, SP_Stream stream, SP_Timer timer, TF_Status* status) {
  (void)device, (void)stream, (void)timer;
  TF_SetStatus(status, TF_OK, "");
}
static void ToHost(const SP_Device* device, SP_Stream stream, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                   TF_Status* status) {
  (void)device, (void)stream;
  memcpy(to, from->opaque, size);
  TF_SetStatus(status, TF_OK, "");
}
static void ToDevice(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to, const void* from,
                     uint64_t size, TF_Status* status) {
  (void)device, (void)stream;
  memcpy(to->opaque, from, size);
  TF_SetStatus(status, TF_OK, "");
}
static void Within(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                   uint64_t size, TF_Status* status) {
  (void)device, (void)stream;
  memmove(to->opaque, from->opaque, size);
  TF_SetStatus(status, TF_OK, "");
}
static void SyncToHost(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                       TF_Status* status) {
  ToHost(device, NULL, to, from, size, status);
}
static void SyncToDevice(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from, uint64_t size,
                         TF_Status* status) {
  ToDevice(device, NULL, to, from, size, status);
}
static void SyncWithin(const SP_Device* device, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                       uint64_t size, TF_Status* status) {
  Within(device, NULL, to, from, size, status);
}
static void BlockForEvent(const SP_Device* device, SP_Event event, TF_Status* status) {
  (void)device, (void)event;
  TF_SetStatus(status, TF_OK, "");
}
static void BlockUntilDone(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  (void)device, (void)stream;
#ifdef FAILING_STREAM
  TF_SetStatus(status, TF_INTERNAL, "the stream is broken");
#else
  TF_SetStatus(status, TF_OK, "");
#endif
}
static void Synchronize(const SP_Device* device, TF_Status* status) {
  (void)device;
  TF_SetStatus(status, TF_OK, "");
}
static void Zero(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* at, uint64_t size, TF_Status* status) {
  (void)device, (void)stream;
  memset(at->opaque, 0, size);
  TF_SetStatus(status, TF_OK, "");
}
static void Fill(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* at, uint8_t pattern, uint64_t size,
                 TF_Status* status) {
  (void)device, (void)stream;
  memset(at->opaque, pattern, size);
  TF_SetStatus(status, TF_OK, "");
}
static void Fill32(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* at, uint32_t pattern, uint64_t size,
                   TF_Status* status) {
  (void)device, (void)stream;
  for (uint64_t i = 0; i + 4 <= size; i += 4) {
    memcpy((char*)at->opaque + i, &pattern, 4);
  }
  TF_SetStatus(status, TF_OK, "");
}
static TF_Bool HostCallback(const SP_Device* device, SP_Stream stream, SE_StatusCallbackFn function, void* argument) {
  (void)device, (void)stream;
  TF_Status* status = TF_NewStatus();
  function(argument, status);
  TF_DeleteStatus(status);
  return 1;
}

static uint64_t Nanoseconds(SP_Timer timer) {
  (void)timer;
  return 1;
}

static void GetDeviceCount(const SP_Platform* platform, int* count, TF_Status* status) {
  (void)platform;
  *count = DEVICES;
  TF_SetStatus(status, TF_OK, "");
}
static void CreateDevice(const SP_Platform* platform, SE_CreateDeviceParams* params, TF_Status* status) {
  (void)platform;
  const size_t size = params->device->struct_size;
  (void)size;
  params->device->struct_size = SP_DEVICE_STRUCT_SIZE;
  params->device->ordinal = params->ordinal;
  params->device->hardware_name = "toy hardware";
#if NEWER == 1  // a member of a later release, and a plugin that asks whether the core has it
  if (size >= SP_DEVICE_STRUCT_SIZE) {
    params->device->serial_number = "1";
  }
#elif NEWER == 2  // and one that does not
  params->device->serial_number = "1";
#endif
  live_devices += 1;
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyDevice(const SP_Platform* platform, SP_Device* device) {
  (void)platform, (void)device;
  live_devices -= 1;
}
static void CreateDeviceFns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params, TF_Status* status) {
  (void)platform;
  params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyDeviceFns(const SP_Platform* platform, SP_DeviceFns* fns) { (void)platform, (void)fns; }
static void CreateExecutor(const SP_Platform* platform, SE_CreateStreamExecutorParams* params, TF_Status* status) {
  (void)platform;
  SP_StreamExecutor* se = params->stream_executor;
  se->struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
  se->allocate = Allocate;
  se->deallocate = Deallocate;
  se->host_memory_allocate = HostAllocate;
  se->host_memory_deallocate = HostDeallocate;
  se->get_allocator_stats = GetStats;
  se->device_memory_usage = GetUsage;
  se->create_stream = CreateStream;
  se->destroy_stream = DestroyStream;
  se->create_stream_dependency = Depend;
  se->get_stream_status = StreamStatus;
  se->create_event = CreateEvent;
  se->destroy_event = DestroyEvent;
  se->get_event_status = EventStatus;
  se->record_event = RecordEvent;
  se->wait_for_event = RecordEvent;
  se->create_timer = CreateTimer;
  se->destroy_timer = DestroyTimer;
  se->start_timer = RunTimer;
  se->stop_timer = RunTimer;
#ifndef WITHOUT_DTOH
  se->memcpy_dtoh = ToHost;
#endif
  se->memcpy_htod = ToDevice;
  se->memcpy_dtod = Within;
  se->sync_memcpy_dtoh = SyncToHost;
  se->sync_memcpy_htod = SyncToDevice;
  se->sync_memcpy_dtod = SyncWithin;
  se->block_host_for_event = BlockForEvent;
#ifndef WITHOUT_BLOCK_UNTIL_DONE
  se->block_host_until_done = BlockUntilDone;
#endif
  se->synchronize_all_activity = Synchronize;
  se->mem_zero = Zero;
  se->memset = Fill;
  se->memset32 = Fill32;
  se->host_callback = HostCallback;
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyExecutor(const SP_Platform* platform, SP_StreamExecutor* se) { (void)platform, (void)se; }
static void CreateTimerFns(const SP_Platform* platform, SP_TimerFns* fns, TF_Status* status) {
  (void)platform;
  fns->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
  fns->nanoseconds = Nanoseconds;
  TF_SetStatus(status, TF_OK, "");
}
static void DestroyTimerFns(const SP_Platform* platform, SP_TimerFns* fns) { (void)platform, (void)fns; }
static void DestroyPlatform(SP_Platform* platform) { (void)platform; }
static void DestroyPlatformFns(SP_PlatformFns* fns) { (void)fns; }

void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
#ifdef REFUSING
  TF_SetStatus(status, TF_FAILED_PRECONDITION, "no such hardware here");
  return;
#endif
  params->destroy_platform = DestroyPlatform;
  params->destroy_platform_fns = DestroyPlatformFns;
  params->platform->struct_size = SP_PLATFORM_STRUCT_SIZE;
  params->platform->name = NAME;
  params->platform->type = TYPE;
  params->platform->use_bfc_allocator = BFC;
  params->platform->force_memory_growth = 1;
  params->platform_fns->struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
  params->platform_fns->get_device_count = GetDeviceCount;
  params->platform_fns->create_device = CreateDevice;
  params->platform_fns->destroy_device = DestroyDevice;
  params->platform_fns->create_device_fns = CreateDeviceFns;
  params->platform_fns->destroy_device_fns = DestroyDeviceFns;
  params->platform_fns->create_stream_executor = CreateExecutor;
  params->platform_fns->destroy_stream_executor = DestroyExecutor;
  params->platform_fns->create_timer_fns = CreateTimerFns;
  params->platform_fns->destroy_timer_fns = DestroyTimerFns;
  TF_SetStatus(status, TF_OK, "");
}
