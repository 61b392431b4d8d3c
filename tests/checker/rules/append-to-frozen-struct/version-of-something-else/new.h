#pragma once

/* Should trigger: the version is that of a file, and says nothing of the struct. */
typedef struct Toy_Format {
  int version; /* The version of the file. */
  int flags;
  int mode;
} Toy_Format;

/* Should trigger: it counts its versions, and is passed by value. */
typedef struct Toy_Pair {
  int iVersion;
  int left;
  int right;
} Toy_Pair;

int toy_open(const Toy_Format* format, Toy_Pair pair);
