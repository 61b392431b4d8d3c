// The same, but the core looks for it and does without. Should be an addition.
#ifndef TP_INIT_H_
#define TP_INIT_H_

typedef struct TP_Status TP_Status;

// Entry point. Implemented by the plugin.
void TP_InitPlugin(TP_Status* status);

// Called before the library is unloaded. Optional. Implemented by the plugin.
void TP_ShutdownPlugin(void);

#endif  // TP_INIT_H_
