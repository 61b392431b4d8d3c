// The word is named by another typedef, which asks for 16 bytes: what holds it moves. Should trigger.
#pragma once

typedef int toy_lane __attribute__((aligned(16)));
typedef toy_lane toy_word;

struct toy_pair {
  char kind;
  union {
    char byte;
    toy_word word;
  } value;
};

void toy_put(const struct toy_pair* pair);
