/* A plugin finds the core's functions by their names. */
#ifndef FINDER_H
#define FINDER_H
#define KV_OK 0
#define KV_ERR 1
#ifndef KV_API
#define KV_API static
#endif
typedef struct KvCtx KvCtx;
extern int (*Kv_GetApi)(const char* name, void* pointer);
extern int (*Kv_CreateCommand)(KvCtx* ctx, const char* name, int (*work)(KvCtx* ctx));
extern int (*Kv_Reply)(KvCtx* ctx, long long value);
#endif
