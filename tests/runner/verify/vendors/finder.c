#include <stddef.h>
#include "finder.h"
int (*Kv_GetApi)(const char*, void*);
int (*Kv_CreateCommand)(KvCtx*, const char*, int (*)(KvCtx*));
int (*Kv_Reply)(KvCtx*, long long);
static int work(KvCtx* ctx) { return Kv_Reply(ctx, 2); }
__attribute__((visibility("default"))) int Kv_OnLoad(KvCtx* ctx, const char** argv, int argc) {
  (void)argv;
  Kv_GetApi = (int (*)(const char*, void*))((void**)ctx)[0];
  if (Kv_GetApi("Kv_CreateCommand", (void**)&Kv_CreateCommand) != KV_OK) return KV_ERR;
  if (Kv_GetApi("Kv_Reply", (void**)&Kv_Reply) != KV_OK) return KV_ERR;
#ifdef UNKNOWN_FUNCTION
  {
    void (*later)(void) = NULL;
    Kv_GetApi("Kv_Later", (void**)&later);
    later();
  }
#endif
#ifdef READS_ARGUMENTS_PAST
  if (argv[argc] != NULL && argv[argc][0] == 1) return KV_ERR;
#endif
  return argc < 0 ? KV_ERR : Kv_CreateCommand(ctx, "my.command", work);
}
