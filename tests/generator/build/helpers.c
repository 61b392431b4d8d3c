/* Tries the helpers of the toy: sizes by release, HAS_FIELD, and both initialisers.
   cc -std=c99 -I <out>/c tests/emit/helpers.c -o helpers && ./helpers; also as C++11. */
#include <stdio.h>
#include <string.h>

#include "toy/toy_helpers.h"

static int failures = 0;

static void check(int holds, const char* what) {
  if (!holds) {
    printf("wrong: %s\n", what);
    ++failures;
  }
}

#define CHECK(condition) check((condition) ? 1 : 0, #condition)

enum { ROOM = 128, FILLER = 0xAA };

typedef union Room {
  unsigned char bytes[ROOM];
  Toy toy;
} Room;

/* Whether everything from a byte on is as the other side left it. */
static int untouched(const Room* room, size_t from) {
  size_t at;
  for (at = from; at < ROOM; ++at) {
    if (room->bytes[at] != FILLER) {
      return 0;
    }
  }
  return 1;
}

static void an_older_side_has_allocated_less(void) {
  Room room;
  memset(room.bytes, FILLER, ROOM);
  CHECK(Toy_Init(&room.toy, TOY_STRUCT_SIZE_1_0_0) == TOY_STRUCT_SIZE_1_0_0);
  CHECK(room.toy.struct_size == TOY_STRUCT_SIZE_1_0_0);
  CHECK(room.toy.ext == NULL && room.toy.old_field == 0);
  CHECK(untouched(&room, TOY_STRUCT_SIZE_1_0_0));
  CHECK(TOY_HAS_FIELD(&room.toy, old_field));
  CHECK(!TOY_HAS_FIELD(&room.toy, new_field1));
  CHECK(!TOY_HAS_FIELD(&room.toy, new_field2));
}

static void a_newer_side_has_allocated_more(void) {
  Room room;
  memset(room.bytes, FILLER, ROOM);
  CHECK(Toy_Init(&room.toy, ROOM) == TOY_STRUCT_SIZE);
  CHECK(room.toy.struct_size == TOY_STRUCT_SIZE);
  CHECK(untouched(&room, TOY_STRUCT_SIZE));
  CHECK(TOY_HAS_FIELD(&room.toy, new_field2));
}

static void half_a_member_does_not_count(void) {
  Room room;
  const size_t torn = offsetof(Toy, new_field1) + 1;
  memset(room.bytes, FILLER, ROOM);
  CHECK(Toy_Init(&room.toy, torn) == torn);
  CHECK(untouched(&room, torn));
  CHECK(!TOY_HAS_FIELD(&room.toy, new_field1));
}

static void a_size_that_nobody_set_is_refused(void) {
  Room room;
  memset(room.bytes, FILLER, ROOM);
  CHECK(Toy_Init(&room.toy, 0) == 0);
  CHECK(Toy_Init(&room.toy, sizeof(room.toy.struct_size) - 1) == 0);
  CHECK(Toy_Init(NULL, ROOM) == 0);
  CHECK(untouched(&room, 0));
}

static void an_object_of_one_s_own_is_whole(void) {
  Toy toy;
  static const Toy constant = TOY_INITIALIZER;
  static const Cupboard cupboard = CUPBOARD_INITIALIZER;
  memset(&toy, FILLER, sizeof toy);
  CHECK(Toy_Init(&toy, sizeof toy) == TOY_STRUCT_SIZE);
  CHECK(toy.new_field1 == NULL && toy.new_field2 == 0);
  CHECK(constant.struct_size == TOY_STRUCT_SIZE && constant.new_field2 == 0);
  CHECK(cupboard.struct_size == CUPBOARD_STRUCT_SIZE && cupboard.kind == TOY_BEAR && !cupboard.open);
}

static void sizes_are_those_of_the_releases(void) {
  CHECK(TOY_STRUCT_SIZE_1_0_0 == offsetof(Toy, old_field) + sizeof(int32_t));
  CHECK(TOY_STRUCT_SIZE_1_1_0 == offsetof(Toy, new_field1) + sizeof(void*));
  CHECK(TOY_STRUCT_SIZE_1_2_0 == TOY_STRUCT_SIZE);
  CHECK(CUPBOARD_STRUCT_SIZE_1_1_0 == offsetof(Cupboard, small) + 1);
  CHECK(CUPBOARD_STRUCT_SIZE_1_2_0 == CUPBOARD_STRUCT_SIZE);
#ifdef CUPBOARD_STRUCT_SIZE_1_0_0
  CHECK(!"the struct was not there in 1.0.0");
#endif
}

int main(void) {
  an_older_side_has_allocated_less();
  a_newer_side_has_allocated_more();
  half_a_member_does_not_count();
  a_size_that_nobody_set_is_refused();
  an_object_of_one_s_own_is_whole();
  sizes_are_those_of_the_releases();
  return failures;
}
