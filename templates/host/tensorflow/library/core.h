// What the core's library offers to the core itself, besides the functions of the API that it offers to plugins.
//
// Read by the C compiler and by cffi alike: declarations only, no directives. Memory that a pointer here leads to
// belongs to whoever made it; "copied" and "kept" say where that differs.

typedef struct TF_KernelBuilder TF_KernelBuilder;
typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
typedef struct TF_OpKernelContext TF_OpKernelContext;
typedef struct TF_AsyncOpKernelDoneCallback TF_AsyncOpKernelDoneCallback;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;
typedef struct TF_Tensor TF_Tensor;
typedef struct TSL_Status TSL_Status;

// ---- Registration ----

typedef struct abigen_core_constraint {
  const char* attribute;
  int type;
} abigen_core_constraint;

// A kernel as a plugin has registered it; it lives as long as the process.
typedef struct abigen_core_kernel {
  const char* name;
  const char* op;
  const char* device_type;
  const char* label;
  int32_t priority;
  void* (*create)(TF_OpKernelConstruction*);
  void (*compute)(void*, TF_OpKernelContext*);
  void (*compute_async)(void*, TF_OpKernelContext*, TF_AsyncOpKernelDoneCallback*);
  void (*destroy)(void*);
  size_t num_constraints;
  const abigen_core_constraint* constraints;
  size_t num_host_arguments;
  const char* const* host_arguments;
} abigen_core_kernel;

// An op as a plugin has declared it; it lives as long as the process.
typedef struct abigen_core_op {
  const char* name;
  size_t num_attributes;
  const char* const* attributes;
  size_t num_inputs;
  const char* const* inputs;
  size_t num_outputs;
  const char* const* outputs;
  int is_commutative;
  int is_aggregate;
  int is_stateful;
  int allows_uninitialized_input;
  int deprecated_version;  // 0: not deprecated
  const char* deprecation;
  void (*infer_shapes)(TF_ShapeInferenceContext*, TSL_Status*);
} abigen_core_op;

// Who is told of registrations. Both functions return a code of TF_Code; when that is not TF_OK they store a message
// of at most `size` bytes, its NUL included.
typedef struct abigen_core_registrar {
  void* argument;
  int (*kernel)(void* argument, const abigen_core_kernel* kernel, char* message, size_t size);
  int (*op)(void* argument, const abigen_core_op* op, char* message, size_t size);
} abigen_core_registrar;

// The registrar of all registrations from here on, copied; NULL: whatever is registered is refused.
void abigen_core_set_registrar(const abigen_core_registrar* registrar);

// ---- Kernels ----

// An attribute of a node. Numbers are the codes of TF_AttrType and TF_DataType.
typedef struct abigen_core_attribute {
  const char* name;
  int type;
  int is_list;
  size_t count;              // elements; 1 when it is no list
  const int64_t* integers;   // int, bool, type: one each; shape: the dimensions of all, one after another
  const float* floats;       // float: one each
  const char* const* texts;  // string: one each
  const int64_t* lengths;    // string: bytes of each; shape: rank of each, -1 when it is not known
  TF_Tensor* const* tensors; // tensor: one each
} abigen_core_attribute;

// One use of an op. Kept by everything that is made from it, so it has to outlive that.
typedef struct abigen_core_node {
  const char* name;
  const char* op;
  size_t num_attributes;
  const abigen_core_attribute* attributes;
  const void* serialized;  // the NodeDef
  size_t serialized_size;
} abigen_core_node;

TF_OpKernelConstruction* abigen_core_new_construction(const abigen_core_node* node);
void abigen_core_delete_construction(TF_OpKernelConstruction* construction);

// The failure that the plugin has reported, NULL for none; it ends with the construction.
const TSL_Status* abigen_core_construction_failure(const TF_OpKernelConstruction* construction);

typedef struct abigen_core_range {
  const char* name;
  int start;
  int stop;
} abigen_core_range;

// What a kernel computes with. Kept by the context, except the tensors, which it shares.
typedef struct abigen_core_step {
  const abigen_core_node* node;
  const char* device_name;
  int device_id;
  int64_t step_id;
  void* stream;      // NULL when the device has none
  int has_memory;    // whether the device has memory of its own
  int num_inputs;
  TF_Tensor* const* inputs;
  const unsigned char* inputs_on_host;  // those that the kernel wants in the host's memory, wherever it runs
  const char* const* input_names;
  size_t num_ranges;
  const abigen_core_range* ranges;
  int num_outputs;
  const int* output_types;
  const unsigned char* outputs_on_host;
  // The device's own memory: `allocate` gives NULL when there is not enough. Memory of the host is the library's.
  void* memory;
  void* (*allocate)(void* memory, size_t size);
  void (*deallocate)(void* memory, void* data, size_t size);
} abigen_core_step;

TF_OpKernelContext* abigen_core_new_context(const abigen_core_step* step);
void abigen_core_delete_context(TF_OpKernelContext* context);
const TSL_Status* abigen_core_context_failure(const TF_OpKernelContext* context);

// A tensor that shares the output with this index, for the caller to delete; NULL when the kernel has set none.
TF_Tensor* abigen_core_output(const TF_OpKernelContext* context, int index);

// How much work was announced as deferred and has not ended.
int64_t abigen_core_deferred_ops(const TF_OpKernelContext* context);

TF_AsyncOpKernelDoneCallback* abigen_core_new_done(void);
void abigen_core_delete_done(TF_AsyncOpKernelDoneCallback* done);

// Waits until the kernel has said that it is done; 0 when it has not within that time.
int abigen_core_wait_done(TF_AsyncOpKernelDoneCallback* done, int64_t milliseconds);

// How often the kernel has said that it is done.
int64_t abigen_core_done_calls(TF_AsyncOpKernelDoneCallback* done);

// ---- Shapes ----

// A shape; its rank is -1 when it is not known, a dimension -1 when that is not.
typedef struct abigen_core_shape {
  int64_t rank;
  const int64_t* dims;
} abigen_core_shape;

// The shapes of the inputs are copied, the node is kept.
TF_ShapeInferenceContext* abigen_core_new_inference(const abigen_core_node* node, int num_inputs,
                                                    const abigen_core_shape* inputs, int num_outputs);
void abigen_core_delete_inference(TF_ShapeInferenceContext* inference);

// The shape of an output, which ends with the context; 0 when the function has not set it.
int abigen_core_inferred(const TF_ShapeInferenceContext* inference, int index, abigen_core_shape* shape);

// How many handles of shapes and dimensions nobody has deleted.
int64_t abigen_core_live_shapes(void);

// ---- Tensors ----

// Whether the data is in the host's memory.
int abigen_core_is_on_host(const TF_Tensor* tensor);

// A tensor of device memory, which `deallocate` is handed when the last tensor that shares it is deleted; NULL when
// the size does not agree with type and shape.
TF_Tensor* abigen_core_device_tensor(int type, const int64_t* dims, int num_dims, void* data, size_t size,
                                     void (*deallocate)(void* memory, void* data, size_t size), void* memory);

// Number of tensors that have not been deleted, for finding leaks.
int64_t abigen_core_live_tensors(void);

// Number of tensors in the host's memory that somebody has written before or behind.
int64_t abigen_core_overruns(void);

// ---- What plugins fill ----

// Is told what is wrong with a struct; `message` ends with the call. Without an error the struct can be used.
typedef void (*abigen_core_report)(void* context, int is_error, const char* message);

// Each checks a struct up to its size and returns the number of errors.
int abigen_core_check_registration(const void* params, abigen_core_report report, void* context);
int abigen_core_check_device(const void* device, abigen_core_report report, void* context);
int abigen_core_check_device_fns(const void* device_fns, abigen_core_report report, void* context);
int abigen_core_check_stream_executor(const void* executor, const void* platform, abigen_core_report report,
                                      void* context);
int abigen_core_check_timer_fns(const void* timer_fns, abigen_core_report report, void* context);
