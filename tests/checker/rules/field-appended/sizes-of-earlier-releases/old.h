// The release that is asked for decides how large each struct is. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ToyError {
  char* message;
  int32_t code;
};

typedef struct ToyDriver {
  void* private_data;
  int (*open)(struct ToyDriver* driver, struct ToyError* error);
} ToyDriver;

struct toy_args {
  uint64_t flags;
};

typedef struct {
  double weight;
} ToyOptions;

int toy_init(int version, void* driver, struct ToyError* error);
int toy_open(ToyDriver* driver, struct toy_args* args, ToyOptions* options);
