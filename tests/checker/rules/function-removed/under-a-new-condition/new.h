// The prototypes are still in the text, under a condition that nobody meets by default. Should trigger.
#ifndef TP_OPS_H_
#define TP_OPS_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TP_Op TP_Op;

TP_Op* TP_NewOp(const char* name);
#ifdef TP_ENABLE_ATTRIBUTES
void TP_OpAddAttr(TP_Op* op, const char* attr);
#endif  // TP_ENABLE_ATTRIBUTES
void TP_DeleteOp(TP_Op* op);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TP_OPS_H_
