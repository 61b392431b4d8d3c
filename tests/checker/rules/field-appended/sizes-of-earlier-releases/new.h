// The release that is asked for decides how large each struct is. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ToyError {
  char* message;
  int32_t code;
  int32_t place;
};
#define TOY_ERROR_1_0_0_SIZE (offsetof(struct ToyError, place))
#define TOY_ERROR_1_1_0_SIZE (sizeof(struct ToyError))

typedef struct ToyDriver {
  void* private_data;
  int (*open)(struct ToyDriver* driver, struct ToyError* error);
  int (*close)(struct ToyDriver* driver);
  int (*cancel)(struct ToyDriver* driver);
} ToyDriver;
#define TOY_DRIVER_VERSION_1_SIZE (offsetof(ToyDriver, open) + sizeof(((ToyDriver*)0)->open))
#define TOY_DRIVER_VERSION_2_SIZE (sizeof(ToyDriver))

struct toy_args {
  uint64_t flags;
  uint64_t stack;
};
#define TOY_ARGS_SIZE_VER0 8
#define TOY_ARGS_SIZE_VER1 16

typedef struct {
  double weight;
  double height;
} ToyOptions;
enum { TOY_OPTIONS_SIZE_V1 = offsetof(ToyOptions, height) };

int toy_init(int version, void* driver, struct ToyError* error);
int toy_open(ToyDriver* driver, struct toy_args* args, ToyOptions* options);
