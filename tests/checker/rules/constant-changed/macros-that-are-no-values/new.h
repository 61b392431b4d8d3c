// Attributes, types and guards are macros too, but no values: what they do shows at the declarations. Should not trigger.
#ifndef TP_MACROS_H_INCLUDED
#define TP_MACROS_H_INCLUDED

#if defined(_WIN32)
#define TP_EXPORT __declspec(dllexport)
#else
#define TP_EXPORT __attribute__((visibility("default"), used))
#endif

#define TP_NODISCARD __attribute__((warn_unused_result))
#define TP_Bool unsigned  char
#define TP_NULL ((void*)0)

TP_EXPORT TP_Bool tp_ready(void);

#endif  // TP_MACROS_H_INCLUDED
