#pragma once

/* Should trigger: readers look at iVersion, which counts the versions of the struct. */
typedef struct Toy_Table {
  int iVersion;
  int (*open)(void* toy);
} Toy_Table;

/* Should trigger: the comments say which version of the table has what. */
typedef struct Toy_Hooks {
  int version;  /* The version of this table. */
  int (*before)(void* toy);
} Toy_Hooks;

int toy_register(const Toy_Table* table, const Toy_Hooks* hooks);
