// The core gains a function: an addition, but a plugin that calls it does not load into an older core.
#ifndef TP_KERNELS_H_
#define TP_KERNELS_H_

typedef struct TP_Kernel TP_Kernel;

TP_Kernel* TP_NewKernel(const char* name);

#endif  // TP_KERNELS_H_
