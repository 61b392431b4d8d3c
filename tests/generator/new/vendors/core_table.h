/* The core hands over its own functions; macros call them. */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H
#define DB_OK 0
#define DB_ERROR 1
typedef struct db db;
typedef struct db_api {
  int (*create_function)(db* database, const char* name, int (*work)(int));
  int (*execute)(db* database, const char* text);
  void (*log)(const char* text);
} db_api;
#define db_create_function api->create_function
#define db_execute api->execute
#define db_log api->log
#endif
