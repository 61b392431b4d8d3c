#pragma once

#include <stdint.h>

#define TOY_MAJOR 1
#define TOY_MINOR 0
#define TOY_PATCH 0

/* Three pieces become one. Should trigger, as PATCH. */
typedef struct ToyMerged {
  uint32_t id;
  uint8_t reserved2[2];
  uint8_t reserved1[1];
  uint8_t reserved[61];
} ToyMerged;

/* One piece becomes three. Should trigger. */
typedef struct ToySplit {
  uint32_t id;
  uint32_t reserved[4];
  uint32_t mode;
} ToySplit;

/* The borders move, the names stay. Should trigger. */
typedef struct ToyBorders {
  uint8_t reserved1[4];
  uint8_t reserved2[12];
  void* handle;
} ToyBorders;

/* Pointers become integers of the same bytes. Should trigger. */
typedef struct ToyPointers {
  void* handle;
  void* reserved[2];
} ToyPointers;

/* A piece takes a name, the others are cut anew. Should trigger. */
typedef struct ToyTaken {
  uint32_t id;
  uint8_t reserved2[2];
  uint8_t reserved1[1];
  uint8_t reserved[61];
} ToyTaken;

/* All of it stays as it is. Should not trigger. */
typedef struct ToyKept {
  uint32_t id;
  uint8_t reserved1[4];
  uint8_t reserved2[8];
} ToyKept;

/* What is kept free grows over a member. Should not trigger. */
typedef struct ToyEaten {
  uint32_t id;
  uint8_t level[4];
  uint8_t reserved1[4];
  uint8_t reserved2[8];
} ToyEaten;

/* The room at the end shrinks, and the struct with it. Should not trigger. */
typedef struct ToyShrunk {
  uint32_t id;
  uint8_t reserved1[4];
  uint8_t reserved2[8];
} ToyShrunk;

/* What is kept free makes way for a member that moves. Should not trigger. */
typedef struct ToyMoved {
  uint8_t reserved1[4];
  uint8_t reserved2[4];
  uint32_t id;
} ToyMoved;

void toy_use(const ToyMerged*, const ToySplit*, const ToyBorders*, const ToyPointers*, const ToyTaken*,
             const ToyKept*, const ToyEaten*, const ToyShrunk*, const ToyMoved*);
