// A result, an ellipsis, a calling convention: three ways to break a call without touching a parameter.
#ifndef LOGGER_H_
#define LOGGER_H_

#include <stddef.h>
#include <stdint.h>

typedef struct LoggerFns {
  size_t struct_size;
  void (*open)(const char* path);
  void (*print)(int32_t level, const char* format, ...);
  void (*flush)(void* logger);
} LoggerFns;

#endif  // LOGGER_H_
