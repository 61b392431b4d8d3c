// Attributes, types and guards are macros too, but no values: what they do shows at the declarations. Should not trigger.
#ifndef TP_MACROS_H_
#define TP_MACROS_H_

#ifdef _WIN32
#define TP_EXPORT __declspec(dllexport)
#else
#define TP_EXPORT __attribute__((visibility("default")))
#endif

#define TP_NODISCARD
#define TP_Bool unsigned char
#define TP_NULL ((void*)0)

TP_EXPORT TP_Bool tp_ready(void);

#endif  // TP_MACROS_H_
