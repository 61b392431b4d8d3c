// The same signature under another name: one finding that says both names, not a removal and an addition.
#ifndef TP_STREAM_H_
#define TP_STREAM_H_

#include <stdint.h>

typedef struct TP_Stream TP_Stream;

TP_Stream* TP_NewStream(int32_t device);
int32_t TP_StreamSync(TP_Stream* stream, uint64_t timeout_ns);
void TP_DeleteStream(TP_Stream* stream);

#endif  // TP_STREAM_H_
