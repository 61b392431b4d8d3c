// The member, whose own type has no name, goes into a struct without a name, and its alternatives change places: no
// byte moves. Should not trigger.
#pragma once

struct toy_value {
  int kind;
  union {
    unsigned char byte;
    unsigned word;
  } held;
};

void toy_put(const struct toy_value* value);
