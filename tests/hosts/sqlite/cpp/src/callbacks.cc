// gain: the SQL function double(x).

#include <sqlite3ext.h>

#include "plugin.hpp"

SQLITE_EXTENSION_INIT1

static void Twice(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) {
    sqlite3_result_int64(context, 2 * sqlite3_value_int64(values[0]));
  } else {
    sqlite3_result_double(context, 2 * sqlite3_value_double(values[0]));
  }
}

int sqlite3_gain_init(sqlite3* db, char**, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  return sqlite3_create_function(db, "double", 1,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                 Twice, nullptr, nullptr);
}
