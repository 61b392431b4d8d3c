// Functions of gain that are written by hand.

#include "plugin.hpp"

static int gain_double(RedisModuleCtx* ctx, RedisModuleString** argv, int argc) {
  double number;
  if (argc != 2) return RedisModule_WrongArity(ctx);
  if (RedisModule_StringToDouble(argv[1], &number) != REDISMODULE_OK) {
    return RedisModule_ReplyWithError(ctx, "ERR not a number");
  }
  return RedisModule_ReplyWithDouble(ctx, 2 * number);
}

int RedisModule_OnLoad(RedisModuleCtx* ctx, RedisModuleString**, int) {
  if (RedisModule_Init(ctx, "gain", 1, REDISMODULE_APIVER_1) != REDISMODULE_OK) return REDISMODULE_ERR;
  return RedisModule_CreateCommand(ctx, "gain.double", gain_double, "fast", 0, 0, 0);
}
