// Functions of gain that still have to be written.

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

void gain_release(struct AdbcError* error) {
  (void)error;
  // Not implemented yet: say what gain does here.
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

AdbcStatusCode gain_DatabaseSetOption(struct AdbcDatabase* database,
                                      const char* key, const char* value,
                                      struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseRelease(struct AdbcDatabase* database,
                                    struct AdbcError* error) {
  (void)error;
  return end(&database->private_data);
}

AdbcStatusCode gain_ConnectionCommit(struct AdbcConnection* connection,
                                     struct AdbcError* error) {
  (void)connection;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetInfo(struct AdbcConnection* connection,
                                      const uint32_t* info_codes,
                                      size_t info_codes_length,
                                      struct ArrowArrayStream* out,
                                      struct AdbcError* error) {
  (void)connection;
  (void)info_codes;
  (void)info_codes_length;
  (void)out;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetObjects(struct AdbcConnection* connection,
                                         int depth, const char* catalog,
                                         const char* db_schema,
                                         const char* table_name,
                                         const char** table_type,
                                         const char* column_name,
                                         struct ArrowArrayStream* out,
                                         struct AdbcError* error) {
  (void)connection;
  (void)depth;
  (void)catalog;
  (void)db_schema;
  (void)table_name;
  (void)table_type;
  (void)column_name;
  (void)out;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetTableSchema(struct AdbcConnection* connection,
                                             const char* catalog,
                                             const char* db_schema,
                                             const char* table_name,
                                             struct ArrowSchema* schema,
                                             struct AdbcError* error) {
  (void)connection;
  (void)catalog;
  (void)db_schema;
  (void)table_name;
  (void)schema;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetTableTypes(struct AdbcConnection* connection,
                                            struct ArrowArrayStream* out,
                                            struct AdbcError* error) {
  (void)connection;
  (void)out;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
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

AdbcStatusCode gain_ConnectionSetOption(struct AdbcConnection* connection,
                                        const char* key, const char* value,
                                        struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionReadPartition(struct AdbcConnection* connection,
                                            const uint8_t* serialized_partition,
                                            size_t serialized_length,
                                            struct ArrowArrayStream* out,
                                            struct AdbcError* error) {
  (void)connection;
  (void)serialized_partition;
  (void)serialized_length;
  (void)out;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionRelease(struct AdbcConnection* connection,
                                      struct AdbcError* error) {
  (void)error;
  return end(&connection->private_data);
}

AdbcStatusCode gain_ConnectionRollback(struct AdbcConnection* connection,
                                       struct AdbcError* error) {
  (void)connection;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementBind(struct AdbcStatement* statement,
                                  struct ArrowArray* values,
                                  struct ArrowSchema* schema,
                                  struct AdbcError* error) {
  (void)statement;
  (void)values;
  (void)schema;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementBindStream(struct AdbcStatement* statement,
                                        struct ArrowArrayStream* stream,
                                        struct AdbcError* error) {
  (void)statement;
  (void)stream;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
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

AdbcStatusCode gain_StatementExecutePartitions(
    struct AdbcStatement* statement, struct ArrowSchema* schema,
    struct AdbcPartitions* partitions, int64_t* rows_affected,
    struct AdbcError* error) {
  (void)statement;
  (void)schema;
  (void)partitions;
  (void)rows_affected;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementGetParameterSchema(struct AdbcStatement* statement,
                                                struct ArrowSchema* schema,
                                                struct AdbcError* error) {
  (void)statement;
  (void)schema;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementNew(struct AdbcConnection* connection,
                                 struct AdbcStatement* statement,
                                 struct AdbcError* error) {
  (void)connection;
  (void)error;
  return make(&statement->private_data, 64);
}

AdbcStatusCode gain_StatementPrepare(struct AdbcStatement* statement,
                                     struct AdbcError* error) {
  (void)statement;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementRelease(struct AdbcStatement* statement,
                                     struct AdbcError* error) {
  (void)error;
  return end(&statement->private_data);
}

AdbcStatusCode gain_StatementSetOption(struct AdbcStatement* statement,
                                       const char* key, const char* value,
                                       struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
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

AdbcStatusCode gain_StatementSetSubstraitPlan(struct AdbcStatement* statement,
                                              const uint8_t* plan,
                                              size_t length,
                                              struct AdbcError* error) {
  (void)statement;
  (void)plan;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

int gain_ErrorGetDetailCount(const struct AdbcError* error) {
  (void)error;
  // Not implemented yet: say what gain does here.
  return (int)0;
}

struct AdbcErrorDetail gain_ErrorGetDetail(const struct AdbcError* error,
                                           int index) {
  (void)error;
  (void)index;
  // Not implemented yet: say what gain does here.
  static const struct AdbcErrorDetail nothing;
  return nothing;
}

const struct AdbcError* gain_ErrorFromArrayStream(
    struct ArrowArrayStream* stream, AdbcStatusCode* status) {
  (void)stream;
  (void)status;
  static struct AdbcError table;
  return gain_fill_error(&table) ? &table : NULL;
}

AdbcStatusCode gain_DatabaseGetOption(struct AdbcDatabase* database,
                                      const char* key, char* value,
                                      size_t* length, struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseGetOptionBytes(struct AdbcDatabase* database,
                                           const char* key, uint8_t* value,
                                           size_t* length,
                                           struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseGetOptionDouble(struct AdbcDatabase* database,
                                            const char* key, double* value,
                                            struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseGetOptionInt(struct AdbcDatabase* database,
                                         const char* key, int64_t* value,
                                         struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseSetOptionBytes(struct AdbcDatabase* database,
                                           const char* key,
                                           const uint8_t* value, size_t length,
                                           struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseSetOptionDouble(struct AdbcDatabase* database,
                                            const char* key, double value,
                                            struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_DatabaseSetOptionInt(struct AdbcDatabase* database,
                                         const char* key, int64_t value,
                                         struct AdbcError* error) {
  (void)database;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionCancel(struct AdbcConnection* connection,
                                     struct AdbcError* error) {
  (void)connection;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetOption(struct AdbcConnection* connection,
                                        const char* key, char* value,
                                        size_t* length,
                                        struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetOptionBytes(struct AdbcConnection* connection,
                                             const char* key, uint8_t* value,
                                             size_t* length,
                                             struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetOptionDouble(struct AdbcConnection* connection,
                                              const char* key, double* value,
                                              struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetOptionInt(struct AdbcConnection* connection,
                                           const char* key, int64_t* value,
                                           struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetStatistics(struct AdbcConnection* connection,
                                            const char* catalog,
                                            const char* db_schema,
                                            const char* table_name,
                                            char approximate,
                                            struct ArrowArrayStream* out,
                                            struct AdbcError* error) {
  (void)connection;
  (void)catalog;
  (void)db_schema;
  (void)table_name;
  (void)approximate;
  (void)out;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionGetStatisticNames(
    struct AdbcConnection* connection, struct ArrowArrayStream* out,
    struct AdbcError* error) {
  (void)connection;
  (void)out;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionSetOptionBytes(struct AdbcConnection* connection,
                                             const char* key,
                                             const uint8_t* value,
                                             size_t length,
                                             struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionSetOptionDouble(struct AdbcConnection* connection,
                                              const char* key, double value,
                                              struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_ConnectionSetOptionInt(struct AdbcConnection* connection,
                                           const char* key, int64_t value,
                                           struct AdbcError* error) {
  (void)connection;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementCancel(struct AdbcStatement* statement,
                                    struct AdbcError* error) {
  (void)statement;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementExecuteSchema(struct AdbcStatement* statement,
                                           struct ArrowSchema* schema,
                                           struct AdbcError* error) {
  (void)statement;
  (void)schema;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementGetOption(struct AdbcStatement* statement,
                                       const char* key, char* value,
                                       size_t* length,
                                       struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementGetOptionBytes(struct AdbcStatement* statement,
                                            const char* key, uint8_t* value,
                                            size_t* length,
                                            struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementGetOptionDouble(struct AdbcStatement* statement,
                                             const char* key, double* value,
                                             struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementGetOptionInt(struct AdbcStatement* statement,
                                          const char* key, int64_t* value,
                                          struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementSetOptionBytes(struct AdbcStatement* statement,
                                            const char* key,
                                            const uint8_t* value, size_t length,
                                            struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)length;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementSetOptionDouble(struct AdbcStatement* statement,
                                             const char* key, double value,
                                             struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode gain_StatementSetOptionInt(struct AdbcStatement* statement,
                                          const char* key, int64_t value,
                                          struct AdbcError* error) {
  (void)statement;
  (void)key;
  (void)value;
  (void)error;
  // Not implemented yet: say what gain does here.
  return ADBC_STATUS_NOT_IMPLEMENTED;
}

AdbcStatusCode AdbcDriverInit(int version, struct AdbcDriver* driver,
                              struct AdbcError* error) {
  (void)version;
  if (!gain_fill_driver(driver)) {
    return ADBC_STATUS_INTERNAL;
  }
  if (!gain_fill_error(error)) {
    return ADBC_STATUS_INTERNAL;
  }
  return ADBC_STATUS_OK;
}
