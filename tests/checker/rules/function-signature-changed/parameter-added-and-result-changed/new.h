// Two things change about each function, and one finding says both.
#ifndef DB_H_
#define DB_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Db Db;

int32_t db_close(Db* db, int32_t force);
int64_t db_get(Db* db, const char* key, size_t size, void* value);
int32_t db_log(Db* db, const char* text);

#endif  // DB_H_
