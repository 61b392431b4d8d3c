// A plugin that calls it no longer loads. Should trigger.
#ifndef TP_KERNELS_H_
#define TP_KERNELS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TP_KernelBuilder TP_KernelBuilder;

TP_KernelBuilder* TP_NewKernelBuilder(const char* op_name);
void TP_KernelBuilder_Priority(TP_KernelBuilder* builder, int32_t priority);
void TP_DeleteKernelBuilder(TP_KernelBuilder* builder);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TP_KERNELS_H_
