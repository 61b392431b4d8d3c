// Two things change about each function, and one finding says both.
#ifndef DB_H_
#define DB_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Db Db;

void db_close(Db* db);
int32_t db_get(Db* db, const char* key, void* value, size_t size);
int32_t db_log(Db* db, const char* format, ...);

#endif  // DB_H_
