// Functions of gain that are written by hand.

#include "plugin.hpp"

#include <string>

static const int64_t numbers[3] = {1, 2, 3};
static const void* column_buffers[2] = {nullptr, numbers};
static const void* batch_buffers[1] = {nullptr};

// A struct of Arrow's with one child.
template <typename T>
struct Parent {
  T child{};
  T* children[1] = {&child};
};

template <typename T>
static void release(T* object) {
  if (object->n_children == 1 && object->children[0]->release != nullptr) {
    object->children[0]->release(object->children[0]);
  }
  delete static_cast<Parent<T>*>(object->private_data);
  object->release = nullptr;
}

template <typename T>
static Parent<T>* begin(T* out) {
  auto* own = new Parent<T>;
  *out = T{};
  out->n_children = 1;
  out->children = own->children;
  out->private_data = own;
  out->release = own->child.release = release<T>;
  return own;
}

static int get_schema(ArrowArrayStream*, ArrowSchema* out) {
  auto* own = begin(out);
  out->format = "+s";
  out->name = "";
  own->child.format = "l";
  own->child.name = "gain";
  return 0;
}

static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto* left = static_cast<int*>(stream->private_data);
  *out = ArrowArray{};
  if ((*left)-- <= 0) return 0;
  auto* own = begin(out);
  out->length = own->child.length = 3;
  out->n_buffers = 1;
  out->buffers = batch_buffers;
  own->child.n_buffers = 2;
  own->child.buffers = column_buffers;
  return 0;
}

static const char* get_last_error(ArrowArrayStream*) {
  return nullptr;
}

static void release_stream(ArrowArrayStream* stream) {
  delete static_cast<int*>(stream->private_data);
  stream->release = nullptr;
}

static AdbcStatusCode make(void** object) {
  *object = new std::string;
  return ADBC_STATUS_OK;
}

static AdbcStatusCode end(void** object) {
  if (*object == nullptr) return ADBC_STATUS_INVALID_STATE;
  delete static_cast<std::string*>(*object);
  *object = nullptr;
  return ADBC_STATUS_OK;
}

static AdbcStatusCode ready(void* object) {
  return object != nullptr ? ADBC_STATUS_OK : ADBC_STATUS_INVALID_STATE;
}

AdbcStatusCode gain::DriverFns::release(AdbcDriver*, AdbcError*) {
  return ADBC_STATUS_OK;
}

AdbcStatusCode gain::DriverFns::DatabaseInit(adbc::DatabaseRef database, AdbcError*) {
  return ready(database->private_data);
}

AdbcStatusCode gain::DriverFns::DatabaseNew(adbc::DatabaseRef database, AdbcError*) {
  return make(&database->private_data);
}

AdbcStatusCode gain::DriverFns::DatabaseRelease(adbc::DatabaseRef database, AdbcError*) {
  return end(&database->private_data);
}

AdbcStatusCode gain::DriverFns::ConnectionInit(adbc::ConnectionRef connection, adbc::DatabaseRef, AdbcError*) {
  return ready(connection->private_data);
}

AdbcStatusCode gain::DriverFns::ConnectionNew(adbc::ConnectionRef connection, AdbcError*) {
  return make(&connection->private_data);
}

AdbcStatusCode gain::DriverFns::ConnectionRelease(adbc::ConnectionRef connection, AdbcError*) {
  return end(&connection->private_data);
}

AdbcStatusCode gain::DriverFns::StatementNew(adbc::ConnectionRef, adbc::StatementRef statement, AdbcError*) {
  return make(&statement->private_data);
}

AdbcStatusCode gain::DriverFns::StatementRelease(adbc::StatementRef statement, AdbcError*) {
  return end(&statement->private_data);
}

AdbcStatusCode gain::DriverFns::StatementSetSqlQuery(adbc::StatementRef statement, const char* query, AdbcError*) {
  if (statement->private_data == nullptr) return ADBC_STATUS_INVALID_STATE;
  *static_cast<std::string*>(statement->private_data) = query;
  return ADBC_STATUS_OK;
}

AdbcStatusCode gain::DriverFns::StatementExecuteQuery(adbc::StatementRef statement, ArrowArrayStream* out,
                                                      int64_t* rows_affected, AdbcError*) {
  if (statement->private_data == nullptr) return ADBC_STATUS_INVALID_STATE;
  if (static_cast<std::string*>(statement->private_data)->compare(0, 6, "SELECT") != 0) {
    return ADBC_STATUS_INVALID_ARGUMENT;
  }
  if (rows_affected != nullptr) *rows_affected = 3;
  if (out != nullptr) *out = {get_schema, get_next, get_last_error, release_stream, new int(1)};
  return ADBC_STATUS_OK;
}
