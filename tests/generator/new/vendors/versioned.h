/* The version that is handed over chooses how much of the table there is; errors are structs. */
#ifndef VERSIONED_H
#define VERSIONED_H
#include <stddef.h>
#include <stdint.h>
typedef uint8_t DrvStatus;
#define DRV_STATUS_OK 0
#define DRV_STATUS_NOT_IMPLEMENTED 2
#define DRV_STATUS_INTERNAL 9
#define DRV_VERSION_1_0_0 1000000
#define DRV_VERSION_1_1_0 1001000
struct DrvError {
  char* message;
  void (*release)(struct DrvError* error);
};
struct DrvConnection {
  void* private_data;
};
struct DrvTable {
  DrvStatus (*ConnectionNew)(struct DrvConnection* connection, struct DrvError* error);
  DrvStatus (*ConnectionRelease)(struct DrvConnection* connection, struct DrvError* error);
  DrvStatus (*ConnectionPing)(struct DrvConnection* connection, struct DrvError* error);
};
typedef DrvStatus (*DrvTableInitFunc)(int version, struct DrvTable* driver, struct DrvError* error);
#endif
