// Builders of kernels and ops, and where they are registered.

#include <stdio.h>

#include "internal.h"

struct TF_KernelBuilder {
  abigen_core_kernel kernel;
  List constraints;     // abigen_core_constraint
  List host_arguments;  // char
};

struct TF_OpDefinitionBuilder {
  abigen_core_op op;
  List attributes;  // char
  List inputs;
  List outputs;
};

static abigen_core_registrar current;
static bool listening;

void abigen_core_set_registrar(const abigen_core_registrar* registrar) {
  listening = registrar != NULL;
  current = listening ? *registrar : (abigen_core_registrar){0};
}

static TF_KernelBuilder* NewBuilder(const char* op, const char* device_type) {
  TF_KernelBuilder* builder = AllocateZeroed(1, sizeof(TF_KernelBuilder));
  builder->kernel.op = CopyText(op);
  builder->kernel.device_type = CopyText(device_type);
  builder->kernel.label = CopyText("");
  return builder;
}

TF_KernelBuilder* TF_NewKernelBuilder(const char* op_name, const char* device_name,
                                      void* (*create_func)(TF_OpKernelConstruction*),
                                      void (*compute_func)(void*, TF_OpKernelContext*), void (*delete_func)(void*)) {
  TF_KernelBuilder* builder = NewBuilder(op_name, device_name);
  builder->kernel.create = create_func;
  builder->kernel.compute = compute_func;
  builder->kernel.destroy = delete_func;
  return builder;
}

TF_KernelBuilder* TF_NewAsyncKernelBuilder(const char* op_name, const char* device_name,
                                           void* (*create_func)(TF_OpKernelConstruction*),
                                           void (*compute_async_func)(void*, TF_OpKernelContext*,
                                                                      TF_AsyncOpKernelDoneCallback* done),
                                           void (*delete_func)(void*)) {
  TF_KernelBuilder* builder = NewBuilder(op_name, device_name);
  builder->kernel.create = create_func;
  builder->kernel.compute_async = compute_async_func;
  builder->kernel.destroy = delete_func;
  return builder;
}

void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder* builder, const char* attr_name, TF_DataType type,
                                     TF_Status* status) {
  abigen_core_constraint* constraint = Allocate(sizeof(abigen_core_constraint));
  *constraint = (abigen_core_constraint){CopyText(attr_name), (int)type};
  ListAdd(&builder->constraints, constraint);
  Succeed(status);
}

void TF_KernelBuilder_HostMemory(TF_KernelBuilder* builder, const char* arg_name) {
  ListAdd(&builder->host_arguments, CopyText(arg_name));
}

void TF_KernelBuilder_Priority(TF_KernelBuilder* builder, int32_t priority) { builder->kernel.priority = priority; }

void TF_KernelBuilder_Label(TF_KernelBuilder* builder, const char* label) {
  char* copy = CopyText(label);
  free((char*)builder->kernel.label);
  builder->kernel.label = copy;
}

static void DeleteConstraint(void* item) {
  abigen_core_constraint* constraint = item;
  free((char*)constraint->attribute);
  free(constraint);
}

void TF_DeleteKernelBuilder(TF_KernelBuilder* builder) {
  if (builder != NULL) {
    free((char*)builder->kernel.name);
    free((char*)builder->kernel.op);
    free((char*)builder->kernel.device_type);
    free((char*)builder->kernel.label);
    ListDelete(&builder->constraints, DeleteConstraint);
    ListDelete(&builder->host_arguments, free);
    free(builder);
  }
}

void TF_RegisterKernelBuilder(const char* name, TF_KernelBuilder* builder, TF_Status* status) {
  abigen_core_kernel* kernel = Allocate(sizeof(abigen_core_kernel));
  free((char*)builder->kernel.name);
  builder->kernel.name = CopyText(name);
  *kernel = builder->kernel;
  abigen_core_constraint* constraints = AllocateZeroed(builder->constraints.size, sizeof(abigen_core_constraint));
  for (size_t i = 0; i < builder->constraints.size; ++i) {
    constraints[i] = *(const abigen_core_constraint*)builder->constraints.items[i];
  }
  kernel->num_constraints = builder->constraints.size;
  kernel->constraints = constraints;
  kernel->num_host_arguments = builder->host_arguments.size;
  kernel->host_arguments = (const char* const*)builder->host_arguments.items;

  char message[1024] = "nobody takes kernels now: register them in the entry point that the core calls";
  int code = listening ? current.kernel(current.argument, kernel, message, sizeof message) : TF_FAILED_PRECONDITION;
  if (code == TF_OK) {
    Succeed(status);
    for (size_t i = 0; i < builder->constraints.size; ++i) {
      free(builder->constraints.items[i]);
    }
    free(builder->constraints.items);
    free(builder);  // its texts and host arguments live on in the kernel
    return;
  }
  TF_SetStatus(status, (TF_Code)code, message);
  free(constraints);
  free(kernel);
  TF_DeleteKernelBuilder(builder);
}

void TF_RegisterKernelBuilderWithKernelDef(const char* serialized_kernel_def, const char* name,
                                           TF_KernelBuilder* builder, TF_Status* status) {
  if (serialized_kernel_def != NULL) {
    Fail(status, TF_UNIMPLEMENTED, "%s: this core reads no serialized KernelDef; pass NULL", name);
    TF_DeleteKernelBuilder(builder);
    return;
  }
  TF_RegisterKernelBuilder(name, builder, status);
}

TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* op_name) {
  TF_OpDefinitionBuilder* builder = AllocateZeroed(1, sizeof(TF_OpDefinitionBuilder));
  builder->op.name = CopyText(op_name);
  builder->op.deprecation = CopyText("");
  return builder;
}

void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder* builder) {
  if (builder != NULL) {
    free((char*)builder->op.name);
    free((char*)builder->op.deprecation);
    ListDelete(&builder->attributes, free);
    ListDelete(&builder->inputs, free);
    ListDelete(&builder->outputs, free);
    free(builder);
  }
}

void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder* builder, const char* attr_spec) {
  ListAdd(&builder->attributes, CopyText(attr_spec));
}

void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder, const char* input_spec) {
  ListAdd(&builder->inputs, CopyText(input_spec));
}

void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder, const char* output_spec) {
  ListAdd(&builder->outputs, CopyText(output_spec));
}

void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder* builder, bool is_commutative) {
  builder->op.is_commutative = is_commutative;
}

void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder* builder, bool is_aggregate) {
  builder->op.is_aggregate = is_aggregate;
}

void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder* builder, bool is_stateful) {
  builder->op.is_stateful = is_stateful;
}

void TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder* builder, bool allowed) {
  builder->op.allows_uninitialized_input = allowed;
}

void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder* builder, int version, const char* explanation) {
  char* copy = CopyText(explanation);
  free((char*)builder->op.deprecation);
  builder->op.deprecation = copy;
  builder->op.deprecated_version = version;
}

void TF_OpDefinitionBuilderSetShapeInferenceFunction(TF_OpDefinitionBuilder* builder,
                                                     void (*shape_inference_func)(TF_ShapeInferenceContext* ctx,
                                                                                  TF_Status* status)) {
  builder->op.infer_shapes = shape_inference_func;
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status) {
  abigen_core_op* op = Allocate(sizeof(abigen_core_op));
  *op = builder->op;
  op->num_attributes = builder->attributes.size;
  op->attributes = (const char* const*)builder->attributes.items;
  op->num_inputs = builder->inputs.size;
  op->inputs = (const char* const*)builder->inputs.items;
  op->num_outputs = builder->outputs.size;
  op->outputs = (const char* const*)builder->outputs.items;

  char message[1024] = "nobody takes ops now: register them in the entry point that the core calls";
  int code = listening ? current.op(current.argument, op, message, sizeof message) : TF_FAILED_PRECONDITION;
  if (code == TF_OK) {
    free(builder);  // its texts and lists live on in the op
    Succeed(status);
    return;
  }
  TF_SetStatus(status, (TF_Code)code, message);
  free(op);
  TF_DeleteOpDefinitionBuilder(builder);
}
