// Functions of gain that are written by hand.

#include "plugin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const int64_t numbers[3] = {1, 2, 3};
static const void* column_buffers[2] = {NULL, numbers};
static const void* batch_buffers[1] = {NULL};

struct schema {
  struct ArrowSchema column, *columns[1];
};

struct batch {
  struct ArrowArray column, *columns[1];
};

static void release_schema(struct ArrowSchema* schema) {
  struct ArrowSchema* column = schema->n_children == 1 ? schema->children[0] : NULL;
  if (column != NULL && column->release != NULL) column->release(column);
  free(schema->private_data);
  schema->release = NULL;
}

static void release_batch(struct ArrowArray* batch) {
  struct ArrowArray* column = batch->n_children == 1 ? batch->children[0] : NULL;
  if (column != NULL && column->release != NULL) column->release(column);
  free(batch->private_data);
  batch->release = NULL;
}

static int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  struct schema* own = calloc(1, sizeof(*own));
  (void)stream;
  if (own == NULL) return 12;
  own->columns[0] = &own->column;
  own->column = (struct ArrowSchema){.format = "l", .name = "gain", .release = release_schema};
  *out = (struct ArrowSchema){.format = "+s", .name = "", .n_children = 1, .children = own->columns,
                              .release = release_schema, .private_data = own};
  return 0;
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  int* left = stream->private_data;
  struct batch* own = *left > 0 ? calloc(1, sizeof(*own)) : NULL;
  memset(out, 0, sizeof(*out));
  if ((*left)-- <= 0) return 0;
  if (own == NULL) return 12;
  own->columns[0] = &own->column;
  own->column = (struct ArrowArray){.length = 3, .n_buffers = 2, .buffers = column_buffers, .release = release_batch};
  *out = (struct ArrowArray){.length = 3, .n_buffers = 1, .buffers = batch_buffers, .n_children = 1,
                             .children = own->columns, .release = release_batch, .private_data = own};
  return 0;
}

static const char* get_last_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return NULL;
}

static void release_stream(struct ArrowArrayStream* stream) {
  free(stream->private_data);
  stream->release = NULL;
}

static AdbcStatusCode make(void** object, size_t size) {
  *object = calloc(1, size);
  return *object != NULL ? ADBC_STATUS_OK : ADBC_STATUS_INTERNAL;
}

static AdbcStatusCode end(void** object) {
  if (*object == NULL) return ADBC_STATUS_INVALID_STATE;
  free(*object);
  *object = NULL;
  return ADBC_STATUS_OK;
}

AdbcStatusCode gain_driver_release(struct AdbcDriver* driver,
                                   struct AdbcError* error) {
  (void)driver;
  (void)error;
  return ADBC_STATUS_OK;
}

AdbcStatusCode gain_DatabaseInit(struct AdbcDatabase* database,
                                 struct AdbcError* error) {
  (void)error;
  return database->private_data != NULL ? ADBC_STATUS_OK : ADBC_STATUS_INVALID_STATE;
}

AdbcStatusCode gain_DatabaseNew(struct AdbcDatabase* database,
                                struct AdbcError* error) {
  (void)error;
  return make(&database->private_data, 1);
}

AdbcStatusCode gain_DatabaseRelease(struct AdbcDatabase* database,
                                    struct AdbcError* error) {
  (void)error;
  return end(&database->private_data);
}

AdbcStatusCode gain_ConnectionInit(struct AdbcConnection* connection,
                                   struct AdbcDatabase* database,
                                   struct AdbcError* error) {
  (void)database;
  (void)error;
  return connection->private_data != NULL ? ADBC_STATUS_OK : ADBC_STATUS_INVALID_STATE;
}

AdbcStatusCode gain_ConnectionNew(struct AdbcConnection* connection,
                                  struct AdbcError* error) {
  (void)error;
  return make(&connection->private_data, 1);
}

AdbcStatusCode gain_ConnectionRelease(struct AdbcConnection* connection,
                                      struct AdbcError* error) {
  (void)error;
  return end(&connection->private_data);
}

AdbcStatusCode gain_StatementNew(struct AdbcConnection* connection,
                                 struct AdbcStatement* statement,
                                 struct AdbcError* error) {
  (void)connection;
  (void)error;
  return make(&statement->private_data, 64);
}

AdbcStatusCode gain_StatementRelease(struct AdbcStatement* statement,
                                     struct AdbcError* error) {
  (void)error;
  return end(&statement->private_data);
}

AdbcStatusCode gain_StatementSetSqlQuery(struct AdbcStatement* statement,
                                         const char* query,
                                         struct AdbcError* error) {
  (void)error;
  if (statement->private_data == NULL) return ADBC_STATUS_INVALID_STATE;
  if (strlen(query) >= 64) return ADBC_STATUS_INVALID_ARGUMENT;
  strcpy(statement->private_data, query);
  return ADBC_STATUS_OK;
}

AdbcStatusCode gain_StatementExecuteQuery(struct AdbcStatement* statement,
                                          struct ArrowArrayStream* out,
                                          int64_t* rows_affected,
                                          struct AdbcError* error) {
  int* left;
  (void)error;
  if (statement->private_data == NULL) return ADBC_STATUS_INVALID_STATE;
  if (strncmp(statement->private_data, "SELECT", 6) != 0) return ADBC_STATUS_INVALID_ARGUMENT;
  if (rows_affected != NULL) *rows_affected = 3;
  if (out == NULL) return ADBC_STATUS_OK;
  left = malloc(sizeof(*left));
  if (left == NULL) return ADBC_STATUS_INTERNAL;
  *left = 1;
  *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, left};
  return ADBC_STATUS_OK;
}
