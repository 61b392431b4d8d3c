// As the member goes into a struct without a name, one of its alternatives gets another type. Should trigger.
#pragma once

struct toy_value {
  int kind;
  union {
    unsigned char byte;
    unsigned word;
  } held;
};

void toy_put(const struct toy_value* value);
