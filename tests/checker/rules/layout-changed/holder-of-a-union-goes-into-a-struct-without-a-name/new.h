// The member, whose own type has no name, goes into a struct without a name, and its alternatives change places: no
// byte moves. Should not trigger.
#pragma once

struct toy_value {
  int kind;
  struct {
    union {
      unsigned word;
      unsigned char byte;
    } held;
  };
};

void toy_put(const struct toy_value* value);
