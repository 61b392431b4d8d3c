#include <stdlib.h>
#include <string.h>
#include "versioned.h"
static void release_error(struct DrvError* error) {
#ifndef LEAKS_ERRORS
  free(error->message);
#endif
  error->message = NULL;
  error->release = NULL;
}
static DrvStatus fail(struct DrvError* error) {
  if (error != NULL) {
    error->message = strdup("it has failed");
    error->release = release_error;
  }
  return DRV_STATUS_INTERNAL;
}
static DrvStatus new_connection(struct DrvConnection* connection, struct DrvError* error) {
  connection->private_data = malloc(8);
  return connection->private_data != NULL ? DRV_STATUS_OK : fail(error);
}
static DrvStatus release(struct DrvConnection* connection, struct DrvError* error) {
  if (connection->private_data == NULL) return fail(error);
#ifndef LEAKS
  free(connection->private_data);
#endif
  connection->private_data = NULL;
  return DRV_STATUS_OK;
}
static DrvStatus ping(struct DrvConnection* connection, struct DrvError* error) {
  return connection->private_data == NULL ? fail(error) : DRV_STATUS_OK;
}
DrvStatus DrvTableInit(int version, struct DrvTable* driver, struct DrvError* error) {
  if (version != DRV_VERSION_1_0_0 && version != DRV_VERSION_1_1_0) return fail(error);
  driver->ConnectionNew = new_connection;
  driver->ConnectionRelease = release;
#ifdef PAST_OLDER
  driver->ConnectionPing = ping;
#else
  if (version == DRV_VERSION_1_1_0) driver->ConnectionPing = ping;
#endif
  return DRV_STATUS_OK;
}
