// What asked for the alignment itself is named by a typedef that asks for the same. Should not trigger.
#pragma once

typedef int toy_lane __attribute__((aligned(16)));
typedef int toy_word __attribute__((aligned(16)));
typedef toy_word toy_words[1];

struct toy_pair {
  char kind;
  toy_words value;
};

void toy_put(const struct toy_pair* pair);
