// As the member goes into a struct without a name, one of its alternatives gets another type. Should trigger.
#pragma once

struct toy_value {
  int kind;
  struct {
    union {
      unsigned char byte;
      float word;
    } held;
  };
};

void toy_put(const struct toy_value* value);
