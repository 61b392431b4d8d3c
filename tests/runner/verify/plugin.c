/* A plugin whose device is a thread per stream, with one thing wrong per build: -DFAULT=name, see the table below.
   cc -std=c11 -shared -fPIC -pthread -I generated/tensorflow/c tests/verify/plugin.c -o plugin.so */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor_helpers.h"

enum faults {
  NONE, REFUSES_EQUAL, REFUSES_NEWER, IGNORES_VERSION,
  SILENT_REFUSAL, BROKEN_AFTER_REFUSAL, WRITES_PAST_END, READS_PAST_END, KEEPS_PARAMETERS, MISSING_CALLBACK,
  PADDED_SIZE, NO_SIZE, ASSIGNS_STRUCT, BAD_NAME, LOCAL_NAME, IGNORES_SIZE, CRASHES, HANGS, EXITS, THROWS,
  CREATES_NOTHING, CREATES_ONCE, LOADS_ONCE, SAME_HANDLE, NOT_FOR_THREADS, SMALL_MEMORY, CANNOT_FREE_NULL,
  OVERLAPPING_MEMORY, NEVER_REFUSES, NO_HOST_MEMORY, CLAIMS_UNIFIED_MEMORY, FORGETS_FREED, IMPOSSIBLE_USAGE, LEAKS,
  SHORT_COPY, LONG_COPY, REORDERS, NO_DEPENDENCY, NO_WAIT_FOR_EVENT, BYTES_AS_WORDS, SHARED_BUFFER, NO_WAIT,
  EARLY_EVENT, EVENT_IN_STREAM, CALLS_TWICE, STOPPED_TIMER, STREAM_ERROR, ASKING_WAITS, SLEEPY, TOO_MANY_DEVICES,
  ANY_ORDINAL, USES_DESTROYED_STREAM, FREES_CORES_STRUCT, WRONG_ARGUMENT, KEEPS_MEMORY_STRUCT, TOUCHES_DEVICE_LATER, LEAKS_EVENTS,
  CLOSES_FILES, NOTHING_HAS_SIZE, SIZES_MUST_BE_EQUAL, NO_STREAM_ON_SHORT_CORE,
  COUNTS_WITHOUT_LOCK
};

#ifndef FAULT
#define FAULT NONE
#endif

#define END(TYPE, member) (offsetof(TYPE, member) + sizeof(((TYPE*)0)->member))
#define KNOWS(object, TYPE, member) (FAULT == IGNORES_SIZE || (object)->struct_size >= END(TYPE, member))
#define SET(object, TYPE, member, value) \
  do { \
    if (KNOWS(object, TYPE, member)) (object)->member = (value); \
  } while (0)
/* The documents' own examples assign whole structs, and look at no size. */
#define SIZE(object, size) \
  do { \
    if (FAULT == IGNORES_SIZE) { \
      memset((object), 0, sizeof *(object)); \
      (object)->struct_size = (size); \
    } \
    if ((object)->struct_size > (size)) (object)->struct_size = (size); \
  } while (0)

#ifndef DEVICES
#define DEVICES 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int64_t allocations, in_use, peak, largest;
static atomic_int calls_of_create_device, inside;
static char shared_buffer[1 << 16];

struct SP_Event_st {
  int pending;
  SP_Stream stream;
};

struct SP_Timer_st {
  uint64_t begin, end;
};

typedef struct Task {
  struct Task* next;
  enum { COPY, FILL, CALL, MARK, WAIT, FREE_EVENT, TIME } kind;
  const SP_DeviceMemoryBase* memory;
  void* to;
  const void* from;
  uint64_t size;
  uint32_t word;
  SE_StatusCallbackFn function;
  SP_Event event;
  uint64_t* time;
} Task;

struct SP_Stream_st {
  pthread_t worker;
  Task *first, *last;
  int busy, stop;
  atomic_int code;
};

static SP_Stream destroyed_stream;
static int core_is_short;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void run(SP_Stream stream, Task* task) {
  if (FAULT == KEEPS_MEMORY_STRUCT && task->memory != NULL) task->to = task->memory->opaque;
  if (task->kind == COPY && FAULT == SHARED_BUFFER && task->size <= sizeof shared_buffer) {
    memcpy(shared_buffer, task->from, task->size);
    usleep(300);
    memcpy(task->to, shared_buffer, task->size);
  } else if (task->kind == COPY) {
    memcpy(task->to, task->from, task->size + (FAULT == LONG_COPY && task->size > 3));
  } else if (task->kind == FILL) {
    for (uint64_t at = 0; at < task->size; at++) ((char*)task->to)[at] = ((char*)&task->word)[at % 4];
  } else if (task->kind == CALL) {
    for (int times = FAULT == CALLS_TWICE ? 2 : 1; times > 0; times--) {
      TF_Status* status = TF_NewStatus();
      task->function(FAULT == WRONG_ARGUMENT ? NULL : task->to, status);
      if (TF_GetCode(status) != TF_OK) atomic_store(&stream->code, (int)TF_GetCode(status));
      TF_DeleteStatus(status);
    }
  } else if (task->kind == TIME) {
    *task->time = now();
  }
}

static void* work(void* argument) {
  SP_Stream stream = argument;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (stream->first == NULL && !stream->stop) pthread_cond_wait(&changed, &lock);
    Task* task = stream->first;
    if (task == NULL) break;
    if (FAULT == REORDERS && task->kind == COPY && task->next != NULL && task->next->kind == COPY) {
      Task* second = task->next;
      task->next = second->next;
      second->next = task;
      stream->first = second;
      if (stream->last == second) stream->last = task;
      task = second;
    }
    while (task->kind == WAIT && task->event->pending) pthread_cond_wait(&changed, &lock);
    stream->busy = 1;
    pthread_mutex_unlock(&lock);
    run(stream, task);
    pthread_mutex_lock(&lock);
    if (task->kind == MARK && task->event->pending) task->event->pending--;
    if (task->kind == FREE_EVENT) free(task->event);
    stream->busy = 0;
    stream->first = task->next;
    if (stream->first == NULL) stream->last = NULL;
    free(task);
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void enqueue(SP_Stream stream, Task wanted) {
  Task* task = malloc(sizeof *task);
  *task = wanted;
  task->next = NULL;
  pthread_mutex_lock(&lock);
  if (task->kind == MARK) task->event->pending += FAULT != EARLY_EVENT;
  if (stream->last != NULL) {
    stream->last->next = task;
  } else {
    stream->first = task;
  }
  stream->last = task;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void wait_for(SP_Stream stream) {
  pthread_mutex_lock(&lock);
  while (stream->first != NULL) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

/* Memory. */

static void allocate(const SP_Device* device, uint64_t size, int64_t memory_space, SP_DeviceMemoryBase* mem) {
  static char common[1 << 16];
  (void)device, (void)memory_space;
  if (FAULT == CRASHES) *(volatile int*)16 = 1;
  SIZE(mem, SP_DEVICE_MEMORY_BASE_STRUCT_SIZE);
  const size_t units = size < UINT64_C(1) << 40 ? size / 64 + 1 : 1;
  void* memory = size < UINT64_C(1) << 40 || FAULT == NEVER_REFUSES ? aligned_alloc(64, 64 * units) : NULL;
  if (FAULT == OVERLAPPING_MEMORY && size <= sizeof common) memory = common;
  if (FAULT == NOTHING_HAS_SIZE && size == 0) {
    free(memory);
    SET(mem, SP_DeviceMemoryBase, opaque, NULL);
    SET(mem, SP_DeviceMemoryBase, size, 16);
    return;
  }
  if (FAULT == SMALL_MEMORY && size % 2 == 1) size--;
  SET(mem, SP_DeviceMemoryBase, opaque, memory);
  SET(mem, SP_DeviceMemoryBase, size, memory != NULL ? size : 0);
  pthread_mutex_lock(&lock);
  if (memory != NULL) {
    allocations++;
    in_use += (int64_t)size;
    if (in_use > peak) peak = in_use;
    if ((int64_t)size > largest) largest = (int64_t)size;
  }
  pthread_mutex_unlock(&lock);
}

static void deallocate(const SP_Device* device, SP_DeviceMemoryBase* memory) {
  (void)device;
  if (FAULT == CANNOT_FREE_NULL && memory->opaque == NULL) *(volatile int*)memory->opaque = 0;
  pthread_mutex_lock(&lock);
  if (FAULT != FORGETS_FREED) in_use -= (int64_t)memory->size;
  pthread_mutex_unlock(&lock);
  if (FAULT != LEAKS && FAULT != OVERLAPPING_MEMORY) free(memory->opaque);
  memory->opaque = NULL;
  memory->size = 0;
}

static void* host_memory_allocate(const SP_Device* device, uint64_t size) {
  (void)device;
  return FAULT == NO_HOST_MEMORY && size > 4096 ? NULL : malloc(size);
}

static void host_memory_deallocate(const SP_Device* device, void* mem) {
  (void)device;
  free(mem);
}

static TF_Bool get_allocator_stats(const SP_Device* device, SP_AllocatorStats* stats) {
  (void)device;
  SIZE(stats, SP_ALLOCATORSTATS_STRUCT_SIZE);
  pthread_mutex_lock(&lock);
  SET(stats, SP_AllocatorStats, num_allocs, allocations);
  SET(stats, SP_AllocatorStats, bytes_in_use, in_use);
  SET(stats, SP_AllocatorStats, peak_bytes_in_use, peak);
  SET(stats, SP_AllocatorStats, largest_alloc_size, largest);
  pthread_mutex_unlock(&lock);
  return 1;
}

static TF_Bool device_memory_usage(const SP_Device* device, int64_t* free_bytes, int64_t* total_bytes) {
  (void)device;
  *total_bytes = INT64_C(1) << 30;
  *free_bytes = FAULT == IMPOSSIBLE_USAGE ? *total_bytes * 2 : *total_bytes - in_use;
  return 1;
}

/* Streams. */

static void create_stream(const SP_Device* device, SP_Stream* stream, TF_Status* status) {
  static struct SP_Stream_st only;
  (void)device;
  if (FAULT == HANGS) {
    for (;;) pause();
  }
  if (FAULT == EXITS) exit(0);
  for (int file = 3; FAULT == CLOSES_FILES && file < 64; file++) close(file);
  if (FAULT == THROWS) {
    void throw_something(void);
    throw_something();
  }
  static int streams;
  if (FAULT == COUNTS_WITHOUT_LOCK) ++streams;
  if (FAULT == NOT_FOR_THREADS && atomic_fetch_add(&inside, 1) > 0) {
    TF_SetStatus(status, TF_INTERNAL, "somebody else is creating a stream");
    atomic_fetch_sub(&inside, 1);
    return;
  }
  *stream = FAULT == SAME_HANDLE ? &only : calloc(1, sizeof **stream);
  if (FAULT == CREATES_NOTHING || (FAULT == NO_STREAM_ON_SHORT_CORE && core_is_short)) {
    free(*stream);
    *stream = NULL;
  } else if (FAULT != SAME_HANDLE) {
    pthread_create(&(*stream)->worker, NULL, work, *stream);
  }
  if (FAULT == NOT_FOR_THREADS) {
    usleep(2000);
    atomic_fetch_sub(&inside, 1);
  }
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_stream(const SP_Device* device, SP_Stream stream) {
  (void)device;
  if (stream == NULL || FAULT == SAME_HANDLE) return;
  pthread_mutex_lock(&lock);
  stream->stop = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(stream->worker, NULL);
  if (FAULT == USES_DESTROYED_STREAM) destroyed_stream = stream;
  free(stream);
}

static void get_stream_status(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  (void)device;
  if (FAULT == ASKING_WAITS) wait_for(stream);
  TF_Code code = FAULT == STREAM_ERROR ? TF_INTERNAL : (TF_Code)atomic_load(&stream->code);
  TF_SetStatus(status, code, FAULT == STREAM_ERROR ? "it is idle" : "");
}

/* Events. */

static void create_event(const SP_Device* device, SP_Event* event, TF_Status* status) {
  (void)device;
  *event = calloc(1, sizeof **event);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_event(const SP_Device* device, SP_Event event) {
  (void)device;
  if (FAULT != LEAKS_EVENTS) free(event);
}

static SE_EventStatus get_event_status(const SP_Device* device, SP_Event event) {
  (void)device;
  if (FAULT == EVENT_IN_STREAM && event->stream != NULL && event->stream->busy != 0) return SE_EVENT_ERROR;
  pthread_mutex_lock(&lock);
  SE_EventStatus status = event->pending ? SE_EVENT_PENDING : SE_EVENT_COMPLETE;
  pthread_mutex_unlock(&lock);
  return status;
}

static void record_event(const SP_Device* device, SP_Stream stream, SP_Event event, TF_Status* status) {
  (void)device;
  event->stream = stream;
  enqueue(stream, (Task){.kind = MARK, .event = event});
  TF_SetStatus(status, TF_OK, "");
}

static void wait_for_event(const SP_Device* const device, SP_Stream stream, SP_Event event, TF_Status* const status) {
  (void)device;
  if (FAULT != NO_WAIT_FOR_EVENT) enqueue(stream, (Task){.kind = WAIT, .event = event});
  TF_SetStatus(status, TF_OK, "");
}

static void create_stream_dependency(const SP_Device* device, SP_Stream dependent, SP_Stream other,
                                     TF_Status* status) {
  if (FAULT != NO_DEPENDENCY) {
    SP_Event event;
    create_event(device, &event, status);
    record_event(device, other, event, status);
    wait_for_event(device, dependent, event, status);
    enqueue(dependent, (Task){.kind = FREE_EVENT, .event = event});
  }
  TF_SetStatus(status, TF_OK, "");
}

static void block_host_for_event(const SP_Device* device, SP_Event event, TF_Status* status) {
  (void)device;
  pthread_mutex_lock(&lock);
  while (event->pending) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  TF_SetStatus(status, TF_OK, "");
}

static void block_host_until_done(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  (void)device;
  if (FAULT == SLEEPY) usleep(20000);
  if (FAULT != NO_WAIT) wait_for(stream);
  TF_SetStatus(status, TF_OK, "");
}

static _Atomic(SP_Stream) streams[64];

static void synchronize_all_activity(const SP_Device* device, TF_Status* status) {
  (void)device;
  if (FAULT == USES_DESTROYED_STREAM && destroyed_stream != NULL) wait_for(destroyed_stream->first->event->stream);
  for (size_t at = 0; at < sizeof streams / sizeof *streams; at++) {
    SP_Stream stream = streams[at];
    if (stream != NULL) wait_for(stream);
  }
  TF_SetStatus(status, TF_OK, "");
}

static void create_listed_stream(const SP_Device* device, SP_Stream* stream, TF_Status* status) {
  create_stream(device, stream, status);
  for (size_t at = 0; at < sizeof streams / sizeof *streams && TF_GetCode(status) == TF_OK; at++) {
    SP_Stream none = NULL;
    if (atomic_compare_exchange_strong(&streams[at], &none, *stream)) break;
  }
}

static void destroy_listed_stream(const SP_Device* device, SP_Stream stream) {
  for (size_t at = 0; at < sizeof streams / sizeof *streams; at++) {
    SP_Stream listed = stream;
    if (atomic_compare_exchange_strong(&streams[at], &listed, NULL)) break;
  }
  destroy_stream(device, stream);
}

/* Timers. */

static void create_timer(const SP_Device* device, SP_Timer* timer, TF_Status* status) {
  (void)device;
  *timer = calloc(1, sizeof **timer);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_timer(const SP_Device* device, SP_Timer timer) {
  (void)device;
  free(timer);
}

static void start_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer, TF_Status* status) {
  (void)device;
  enqueue(stream, (Task){.kind = TIME, .time = &timer->begin});
  TF_SetStatus(status, TF_OK, "");
}

static void stop_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer, TF_Status* status) {
  (void)device;
  if (FAULT != STOPPED_TIMER) enqueue(stream, (Task){.kind = TIME, .time = &timer->end});
  TF_SetStatus(status, TF_OK, "");
}

static uint64_t nanoseconds(SP_Timer timer) { return timer->end - timer->begin; }

/* Copies and fills. */

static void sync_copy(void* to, const void* from, uint64_t size, TF_Status* status) {
  memcpy(to, from, size - (FAULT == SHORT_COPY && size > 64));
  TF_SetStatus(status, TF_OK, "");
}

static void sync_memcpy_dtoh(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                             TF_Status* status) {
  (void)device;
  sync_copy(to, from->opaque, size, status);
}

static void sync_memcpy_htod(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from, uint64_t size,
                             TF_Status* status) {
  (void)device;
  sync_copy(to->opaque, from, size, status);
}

static void sync_memcpy_dtod(const SP_Device* device, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                             uint64_t size, TF_Status* status) {
  (void)device;
  sync_copy(to->opaque, from->opaque, size, status);
}

static void copy(SP_Stream stream, void* to, const void* from, uint64_t size, TF_Status* status) {
  enqueue(stream, (Task){.kind = COPY, .to = to, .from = from, .size = size});
  TF_SetStatus(status, TF_OK, "");
}

static void memcpy_dtoh(const SP_Device* device, SP_Stream stream, void* to, const SP_DeviceMemoryBase* from,
                        uint64_t size, TF_Status* status) {
  (void)device;
  copy(stream, to, from->opaque, size, status);
}

static void memcpy_htod(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to, const void* from,
                        uint64_t size, TF_Status* status) {
  (void)device;
  if (FAULT == KEEPS_MEMORY_STRUCT) {
    enqueue(stream, (Task){.kind = COPY, .memory = to, .from = from, .size = size});
    return;
  }
  copy(stream, to->opaque, from, size, status);
}

static void memcpy_dtod(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  (void)device;
  copy(stream, to->opaque, from->opaque, size, status);
}

static void fill(SP_Stream stream, void* to, uint32_t word, uint64_t size, TF_Status* status) {
  enqueue(stream, (Task){.kind = FILL, .to = to, .word = word, .size = size});
  TF_SetStatus(status, TF_OK, "");
}

static void mem_zero(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to, uint64_t size,
                     TF_Status* status) {
  (void)device;
  fill(stream, to->opaque, 0, size, status);
}

static void fill_bytes(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to, uint8_t pattern,
                       uint64_t size, TF_Status* status) {
  (void)device;
  fill(stream, to->opaque, pattern * 0x01010101u, size, status);
}

static void fill_words(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to, uint32_t pattern,
                       uint64_t size, TF_Status* status) {
  (void)device;
  fill(stream, to->opaque, pattern, FAULT == BYTES_AS_WORDS ? size / 4 : size, status);
}

static TF_Bool host_callback(const SP_Device* device, SP_Stream stream, SE_StatusCallbackFn function, void* argument) {
  (void)device;
  enqueue(stream, (Task){.kind = CALL, .function = function, .to = argument});
  return 1;
}

/* The platform. */

static SP_Device* last_device;

static void get_device_count(const SP_Platform* platform, int* count, TF_Status* status) {
  (void)platform;
  *count = FAULT == TOO_MANY_DEVICES ? DEVICES + 1 : DEVICES;
  TF_SetStatus(status, TF_OK, "");
}

static void create_device(const SP_Platform* platform, SE_CreateDeviceParams* params, TF_Status* status) {
  (void)platform;
  if (FAULT == CREATES_ONCE && calls_of_create_device++ > 0) {
    TF_SetStatus(status, TF_INTERNAL, "there was one already");
    return;
  }
  if (FAULT == SIZES_MUST_BE_EQUAL && params->device->struct_size != SP_DEVICE_STRUCT_SIZE) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "core is of another release");
    return;
  }
  if ((params->ordinal < 0 || params->ordinal >= DEVICES) && FAULT != ANY_ORDINAL) {
    TF_SetStatus(status, TF_NOT_FOUND, "there is no such device");
    return;
  }
  SIZE(params->device, SP_DEVICE_STRUCT_SIZE);
  SET(params->device, SP_Device, ordinal, params->ordinal);
  SET(params->device, SP_Device, hardware_name, "Threads");
  SET(params->device, SP_Device, device_vendor, "Nobody");
  SET(params->device, SP_Device, pci_bus_id, "0000:00:00.0");
  last_device = params->device;
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_device(const SP_Platform* platform, SP_Device* device) {
  (void)platform;
  if (FAULT == FREES_CORES_STRUCT) free(device);
}

static int32_t get_numa_node(const SP_Device* device) { return device->ordinal < 0 ? 0 : -1; }

static void create_device_fns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params, TF_Status* status) {
  (void)platform;
  SP_DeviceFns* functions = params->device_fns;
  SIZE(functions, SP_DEVICE_FNS_STRUCT_SIZE);
  SET(functions, SP_DeviceFns, get_numa_node, get_numa_node);
  if (FAULT == WRITES_PAST_END) memset(functions + 1, 0, sizeof(void*));
  if (FAULT == READS_PAST_END) {
    volatile const char* behind = (const char*)(params + 1);
    (void)*behind;
  }
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_device_fns(const SP_Platform* platform, SP_DeviceFns* functions) {
  (void)platform, (void)functions;
}

static void create_stream_executor(const SP_Platform* platform, SE_CreateStreamExecutorParams* params,
                                   TF_Status* status) {
  (void)platform;
  SP_StreamExecutor* executor = params->stream_executor;
  core_is_short = executor->struct_size < SP_STREAMEXECUTOR_STRUCT_SIZE;
  SIZE(executor, SP_STREAMEXECUTOR_STRUCT_SIZE);
#define FUNCTION(member) SET(executor, SP_StreamExecutor, member, member)
  FUNCTION(allocate);
  FUNCTION(deallocate);
  FUNCTION(host_memory_allocate);
  FUNCTION(host_memory_deallocate);
  FUNCTION(get_allocator_stats);
  FUNCTION(device_memory_usage);
  SET(executor, SP_StreamExecutor, create_stream, create_listed_stream);
  SET(executor, SP_StreamExecutor, destroy_stream, destroy_listed_stream);
  FUNCTION(create_stream_dependency);
  FUNCTION(get_stream_status);
  FUNCTION(create_event);
  FUNCTION(destroy_event);
  FUNCTION(get_event_status);
  FUNCTION(record_event);
  FUNCTION(wait_for_event);
  FUNCTION(create_timer);
  FUNCTION(destroy_timer);
  FUNCTION(start_timer);
  FUNCTION(stop_timer);
  FUNCTION(memcpy_dtoh);
  FUNCTION(memcpy_htod);
  FUNCTION(memcpy_dtod);
  FUNCTION(sync_memcpy_dtoh);
  FUNCTION(sync_memcpy_htod);
  if (FAULT != MISSING_CALLBACK) FUNCTION(sync_memcpy_dtod);
  FUNCTION(block_host_for_event);
  FUNCTION(block_host_until_done);
  FUNCTION(synchronize_all_activity);
  FUNCTION(mem_zero);
  SET(executor, SP_StreamExecutor, memset, fill_bytes);
  SET(executor, SP_StreamExecutor, memset32, fill_words);
  FUNCTION(host_callback);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_stream_executor(const SP_Platform* platform, SP_StreamExecutor* executor) {
  (void)platform, (void)executor;
}

static SE_PlatformRegistrationParams* kept;

static void create_timer_fns(const SP_Platform* platform, SP_TimerFns* functions, TF_Status* status) {
  (void)platform;
  SIZE(functions, SP_TIMER_FNS_STRUCT_SIZE);
  SET(functions, SP_TimerFns, nanoseconds, nanoseconds);
  if (FAULT == KEEPS_PARAMETERS && kept->major_version != SE_MAJOR) return;
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_timer_fns(const SP_Platform* platform, SP_TimerFns* functions) {
  (void)platform, (void)functions;
}

static void destroy_platform(SP_Platform* platform) {
  (void)platform;
  if (FAULT == TOUCHES_DEVICE_LATER) last_device->device_handle = NULL;
}

static void destroy_platform_fns(SP_PlatformFns* functions) { (void)functions; }

static void fill_platform(SP_Platform* platform) {
  SIZE(platform, SP_PLATFORM_STRUCT_SIZE);
  if (FAULT == PADDED_SIZE) platform->struct_size = sizeof *platform;
  if (FAULT == NO_SIZE) platform->struct_size = 0;
  const char* name = FAULT == BAD_NAME ? "my device" : "THREADS";
  if (FAULT == LOCAL_NAME) {
    name = strcpy(malloc(sizeof "THREADS"), name);
    free((char*)name);
  }
  SET(platform, SP_Platform, name, name);
  SET(platform, SP_Platform, type, "THREADS");
  SET(platform, SP_Platform, supports_unified_memory, FAULT == CLAIMS_UNIFIED_MEMORY);
  SET(platform, SP_Platform, force_memory_growth, 1);
}

#ifdef UNKNOWN_SYMBOL
void nobody_has_this(void);
#endif

#ifdef NO_ENTRY_POINT
__attribute__((visibility("hidden")))
#endif
void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  static int refused;
#ifdef UNKNOWN_SYMBOL
  if (params == NULL) nobody_has_this();
#endif
  if (FAULT == REFUSES_EQUAL || (FAULT == BROKEN_AFTER_REFUSAL && refused) ||
      (FAULT == REFUSES_NEWER && params->struct_size != SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE) ||
      (FAULT == LOADS_ONCE && getenv("LOADED_BEFORE") != NULL)) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "not today");
    return;
  }
  if (params->major_version != SE_MAJOR && FAULT != IGNORES_VERSION) {
    refused = 1;
    TF_SetStatus(status, TF_FAILED_PRECONDITION, FAULT == SILENT_REFUSAL ? "" : "core has another MAJOR than this");
    return;
  }
  if (FAULT == LOADS_ONCE) setenv("LOADED_BEFORE", "1", 1);
  if (FAULT == ASSIGNS_STRUCT) {
    SE_PlatformRegistrationParams mine = {.struct_size = SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE};
    mine.platform = params->platform;
    mine.platform_fns = params->platform_fns;
    mine.major_version = params->major_version + 7;
    *params = mine;
  }
  kept = params;
  fill_platform(params->platform);
  SP_PlatformFns* functions = params->platform_fns;
  SIZE(functions, SP_PLATFORM_FNS_STRUCT_SIZE);
  SET(functions, SP_PlatformFns, get_device_count, get_device_count);
  SET(functions, SP_PlatformFns, create_device, create_device);
  SET(functions, SP_PlatformFns, destroy_device, destroy_device);
  SET(functions, SP_PlatformFns, create_device_fns, create_device_fns);
  SET(functions, SP_PlatformFns, destroy_device_fns, destroy_device_fns);
  SET(functions, SP_PlatformFns, create_stream_executor, create_stream_executor);
  SET(functions, SP_PlatformFns, destroy_stream_executor, destroy_stream_executor);
  SET(functions, SP_PlatformFns, create_timer_fns, create_timer_fns);
  SET(functions, SP_PlatformFns, destroy_timer_fns, destroy_timer_fns);
  SET(params, SE_PlatformRegistrationParams, destroy_platform, destroy_platform);
  SET(params, SE_PlatformRegistrationParams, destroy_platform_fns, destroy_platform_fns);
  TF_SetStatus(status, TF_OK, "");
}

#ifdef EMPTY_KERNELS
__attribute__((visibility("default"))) void TF_InitKernel(void) {}
#endif

#ifdef HANGS_WHEN_LOADED
__attribute__((constructor)) static void wait_for_nothing(void) {
  for (;;) pause();
}
#endif

#ifdef EXPORTS_CORE_SYMBOL
__attribute__((visibility("default"))) const char* TF_Message(const TF_Status* status) {
  (void)status;
  return "";
}
#endif
