// The typedef is the cause; the members and parameters that it reaches are named below it. Should trigger, once.
#ifndef FLAGS_H_
#define FLAGS_H_

#include <stddef.h>
#include <stdint.h>

typedef uint32_t FlagSet;

typedef struct FlagArgs {
  size_t struct_size;
  FlagSet wanted;
  FlagSet refused;
  void* context;
} FlagArgs;

void flag_raise(FlagSet flags);

#endif  // FLAGS_H_
