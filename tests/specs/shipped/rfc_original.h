/* The StreamExecutor C API as its RFC declares it, by which the spec is proven: declarations and contract marks, no
   documentation. SP_PLATFORM_FNS_STRUCT_SIZE is the RFC's own mistake: it does not end at the last member. */
#include <stddef.h>
#include <stdint.h>
typedef struct TF_Status TF_Status;

#define SE_MAJOR 0
#define SE_MINOR 0
#define SE_PATCH 1

#ifndef TF_Bool
#define TF_Bool unsigned char
#endif

#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) \
  (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SP_Stream_st* SP_Stream;
typedef struct SP_Event_st* SP_Event;
typedef struct SP_Timer_st* SP_Timer;
typedef void (*SE_StatusCallbackFn)(void* const, TF_Status* const);

typedef struct SP_TimerFns {
  size_t struct_size;
  void* ext;
  uint64_t (*nanoseconds)(SP_Timer timer);
} SP_TimerFns;

#define SP_TIMER_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_TimerFns, nanoseconds)

typedef struct SP_AllocatorStats {
  size_t struct_size;
  int64_t num_allocs;
  int64_t bytes_in_use;
  int64_t peak_bytes_in_use;
  int64_t largest_alloc_size;

  int8_t has_bytes_limit;
  int64_t bytes_limit;

  int64_t bytes_reserved;
  int64_t peak_bytes_reserved;

  int8_t has_bytes_reservable_limit;
  int64_t bytes_reservable_limit;

  int64_t largest_free_block_bytes;
} SP_AllocatorStats;

#define SP_ALLOCATORSTATS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_AllocatorStats, largest_free_block_bytes)

typedef enum SE_EventStatus {
  SE_EVENT_UNKNOWN,
  SE_EVENT_ERROR,
  SE_EVENT_PENDING,
  SE_EVENT_COMPLETE,
} SE_EventStatus;

typedef struct SP_DeviceMemoryBase {
  size_t struct_size;
  void* ext;
  void* opaque;
  uint64_t size;
  uint64_t payload;
} SP_DeviceMemoryBase;

#define SP_DEVICE_MEMORY_BASE_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_DeviceMemoryBase, payload)

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  int32_t ordinal;

  void* device_handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TF_OFFSET_OF_END(SP_Device, device_handle)

typedef struct SE_CreateDeviceParams {
  size_t struct_size;
  void* ext;
  int32_t ordinal;

  SP_Device* device;  // Set by both sides.
} SE_CreateDeviceParams;

#define SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_CreateDeviceParams, device)

typedef struct SP_StreamExecutor {
  size_t struct_size;
  void* ext;

  /*** Allocation callbacks ***/
  void (*allocate)(const SP_Device* device, uint64_t size, int64_t memory_space,
                   SP_DeviceMemoryBase* mem);

  void (*deallocate)(const SP_Device* device, SP_DeviceMemoryBase* memory);

  void* (*host_memory_allocate)(const SP_Device* device, uint64_t size);

  void (*host_memory_deallocate)(const SP_Device* device, void* mem);

  void* (*unified_memory_allocate)(const SP_Device* device, uint64_t size);

  void (*unified_memory_deallocate)(const SP_Device* device, void* location);

  TF_Bool (*get_allocator_stats)(const SP_Device* device,
                                 SP_AllocatorStats* stats);
  TF_Bool (*device_memory_usage)(const SP_Device* device, int64_t* free,
                                 int64_t* total);

  /*** Stream callbacks ***/
  void (*create_stream)(const SP_Device* device, SP_Stream* stream,
                        TF_Status* status);

  void (*destroy_stream)(const SP_Device* device, SP_Stream stream);

  void (*create_stream_dependency)(const SP_Device* device, SP_Stream dependent,
                                   SP_Stream other, TF_Status* status);

  void (*get_stream_status)(const SP_Device* device, SP_Stream stream,
                            TF_Status* status);

  /*** Event callbacks ***/
  void (*create_event)(const SP_Device* device, SP_Event* event,
                       TF_Status* status);

  void (*destroy_event)(const SP_Device* device, SP_Event event);

  SE_EventStatus (*get_event_status)(const SP_Device* device, SP_Event event);
  void (*record_event)(const SP_Device* device, SP_Stream stream,
                       SP_Event event, TF_Status* status);

  void (*wait_for_event)(const SP_Device* const device, SP_Stream stream,
                         SP_Event event, TF_Status* const status);

  /*** Timer callbacks ***/
  void (*create_timer)(const SP_Device* device, SP_Timer* timer,
                       TF_Status* status);

  void (*destroy_timer)(const SP_Device* device, SP_Timer timer);

  void (*start_timer)(const SP_Device* device, SP_Stream stream, SP_Timer timer,
                      TF_Status* status);

  void (*stop_timer)(const SP_Device* device, SP_Stream stream, SP_Timer timer,
                     TF_Status* status);

  /*** Memcpy callbacks ***/
  void (*memcpy_dtoh)(const SP_Device* device, SP_Stream stream, void* host_dst,
                      const SP_DeviceMemoryBase* device_src, uint64_t size,
                      TF_Status* status);

  void (*memcpy_htod)(const SP_Device* device, SP_Stream stream,
                      SP_DeviceMemoryBase* device_dst, const void* host_src,
                      uint64_t size, TF_Status* status);

  void (*memcpy_dtod)(const SP_Device* device, SP_Stream stream,
                      SP_DeviceMemoryBase* device_dst,
                      const SP_DeviceMemoryBase* device_src, uint64_t size,
                      TF_Status* status);

  void (*sync_memcpy_dtoh)(const SP_Device* device, void* host_dst,
                           const SP_DeviceMemoryBase* device_src, uint64_t size,
                           TF_Status* status);

  void (*sync_memcpy_htod)(const SP_Device* device,
                           SP_DeviceMemoryBase* device_dst,
                           const void* host_src, uint64_t size,
                           TF_Status* status);

  void (*sync_memcpy_dtod)(const SP_Device* device,
                           SP_DeviceMemoryBase* device_dst,
                           const SP_DeviceMemoryBase* device_src, uint64_t size,
                           TF_Status* status);

  void (*block_host_for_event)(const SP_Device* device, SP_Event event,
                               TF_Status* status);

  // Optional.
  void (*block_host_until_done)(const SP_Device* device, SP_Stream stream,
                                TF_Status* status);

  void (*synchronize_all_activity)(const SP_Device* device, TF_Status* status);

  TF_Bool (*host_callback)(SP_Device* device, SP_Stream stream,
                           SE_StatusCallbackFn callback_fn, void* callback_arg);
} SP_StreamExecutor;

#define SP_STREAMEXECUTOR_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_StreamExecutor, host_callback)

typedef struct SE_CreateStreamExecutorParams {
  size_t struct_size;
  void* ext;

  SP_StreamExecutor* stream_executor;  // Set by plugin.
} SE_CreateStreamExecutorParams;

#define SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_CreateStreamExecutorParams, stream_executor)

typedef struct SP_Allocator {
  size_t struct_size;
  void* ext;

  TF_Bool supports_unified_memory;
} SP_Allocator;

#define SP_ALLOCATOR_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_Allocator, supports_unified_memory)

typedef struct SP_AllocatorFns {
  size_t struct_size;
  void* ext;

  void (*allocate)(const SP_Device* device, const SP_Allocator* allocator,
                   uint64_t size, int64_t memory_space,
                   SP_DeviceMemoryBase* mem);

  void (*deallocate)(const SP_Device* device, const SP_Allocator* allocator,
                     SP_DeviceMemoryBase* memory);

  void* (*host_memory_allocate)(const SP_Device* device,
                                const SP_Allocator* allocator, uint64_t size);

  void (*host_memory_deallocate)(const SP_Device* device,
                                 const SP_Allocator* allocator, void* mem);

  void* (*unified_memory_allocate)(const SP_Device* device,
                                   const SP_Allocator* allocator,
                                   uint64_t bytes);

  void (*unified_memory_deallocate)(const SP_Device* device,
                                    const SP_Allocator* allocator,
                                    void* location);

  TF_Bool (*get_allocator_stats)(const SP_Device* device,
                                 const SP_Allocator* allocator,
                                 SP_AllocatorStats* stats);

  TF_Bool (*device_memory_usage)(const SP_Device* device,
                                 const SP_Allocator* allocator, int64_t* free,
                                 int64_t* total);
} SP_AllocatorFns;

#define SP_ALLOCATOR_FNS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_AllocatorFns, device_memory_usage)

typedef struct SP_CustomAllocator {
  size_t struct_size;
  void* ext;
} SP_CustomAllocator;

#define SP_CUSTOM_ALLOCATOR_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_CustomAllocator, ext)

typedef struct SP_CustomAllocatorFns {
  size_t struct_size;
  void* ext;

  void* (*allocate_raw)(const SP_Device* device,
                        const SP_CustomAllocator* allocator, size_t size,
                        size_t alignment);

  void (*deallocate_raw)(const SP_Device* device,
                         const SP_CustomAllocator* allocator, void* ptr);

  void* (*host_allocate_raw)(const SP_Device* device,
                             const SP_CustomAllocator* allocator,
                             uint64_t size);

  void (*host_deallocate_raw)(const SP_Device* device,
                              const SP_CustomAllocator* allocator, void* mem);

  TF_Bool (*get_allocator_stats)(const SP_Device* device,
                                 const SP_CustomAllocator* allocator,
                                 SP_AllocatorStats* stats);

  TF_Bool (*device_memory_usage)(const SP_Device* device,
                                 const SP_CustomAllocator* allocator,
                                 int64_t* free, int64_t* total);
} SP_CustomAllocatorFns;

#define SP_CUSTOM_ALLOCATOR_FNS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_CustomAllocatorFns, device_memory_usage)

typedef struct SE_CreateAllocatorParams {
  size_t struct_size;
  void* ext;

  SP_Allocator* allocator;
  SP_AllocatorFns* allocator_fns;
} SE_CreateAllocatorParams;

#define SE_CREATE_ALLOCATOR_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_CreateAllocatorParams, allocator_fns)

typedef struct SE_CreateCustomAllocatorParams {
  size_t struct_size;
  void* ext;

  SP_CustomAllocator* custom_allocator;
  SP_CustomAllocatorFns* custom_allocator_fns;
} SE_CreateCustomAllocatorParams;

#define SE_CREATE_CUSTOM_ALLOCATOR_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_CreateCustomAllocatorParams, custom_allocator_fns)

typedef struct SP_Platform {
  size_t struct_size;

  void* ext;

  const char* name;

  const char* type;

  size_t visible_device_count;
} SP_Platform;

#define SP_PLATFORM_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_Platform, visible_device_count)

typedef struct SP_PlatformFns {
  size_t struct_size;

  void* ext;

  void (*create_device)(const SP_Platform* platform,
                        SE_CreateDeviceParams* params, TF_Status* status);

  void (*destroy_device)(const SP_Platform* platform, SP_Device* device);

  void (*create_stream_executor)(const SP_Platform* platform,
                                 SE_CreateStreamExecutorParams* params,
                                 TF_Status* status);
  void (*destroy_stream_executor)(const SP_Platform* platform,
                                  SP_StreamExecutor* stream_executor);

  void (*create_timer_fns)(const SP_Platform* platform, SP_TimerFns* timer,
                           TF_Status* status);

  void (*destroy_timer_fns)(const SP_Platform* platform,
                            SP_TimerFns* timer_fns);

  void (*create_allocator)(const SP_Platform* platform,
                           SE_CreateAllocatorParams* params, TF_Status* status);
  void (*destroy_allocator)(const SP_Platform* platform,
                            SP_Allocator* allocator,
                            SP_AllocatorFns* allocator_fns);

  void (*create_custom_allocator)(const SP_Platform* platform,
                                  SE_CreateCustomAllocatorParams* params,
                                  TF_Status* status);
  void (*destroy_custom_allocator)(const SP_Platform* platform,
                                   SP_CustomAllocator* allocator,
                                   SP_CustomAllocatorFns* allocator_fns);
} SP_PlatformFns;

#define SP_PLATFORM_FNS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SP_PlatformFns, destroy_timer_fns)

typedef struct SE_PlatformRegistrationParams {
  size_t struct_size;
  void* ext;

  int32_t major_version;
  int32_t minor_version;
  int32_t patch_version;

  SP_Platform* platform;  // Set by plugin.
  SP_PlatformFns* platform_fns;  // Set by plugin.
  void (*destroy_platform)(SP_Platform* platform);  // Set by plugin.
  void (*destroy_platform_fns)(
      SP_PlatformFns* platform_fns);  // Set by plugin.
} SE_PlatformRegistrationParams;

#define SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE \
  TF_OFFSET_OF_END(SE_PlatformRegistrationParams, destroy_platform_fns)

void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status);

#ifdef __cplusplus
}
#endif
