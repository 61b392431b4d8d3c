// A second entry point that every plugin has to export: a plugin of today does not have it. Should be a break.
#ifndef TP_INIT_H_
#define TP_INIT_H_

typedef struct TP_Status TP_Status;

// Entry point. Implemented by the plugin.
void TP_InitPlugin(TP_Status* status);

// Called before the library is unloaded. Implemented by the plugin.
void TP_ShutdownPlugin(void);

#endif  // TP_INIT_H_
