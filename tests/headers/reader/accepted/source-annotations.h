// Microsoft's annotations; elsewhere the header defines them away, as headers of both worlds do.
#include <stddef.h>
#ifndef _MSC_VER
#define _In_
#define _In_reads_(count)
#define _Outptr_result_maybenull_
#define _Success_(condition)
#define _Return_type_success_(condition)
#endif

typedef _Return_type_success_(return == 0) int toy_status;
_Success_(return == 0) toy_status toy_open(_In_ const char* path, _In_reads_(size) const char* data, size_t size,
                                           _Outptr_result_maybenull_ void** toy);
