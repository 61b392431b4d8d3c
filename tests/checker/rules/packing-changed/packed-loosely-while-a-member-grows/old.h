// The pragma moves nothing; the struct in it grows by another type into what was padding. Only that should trigger.
#pragma once

struct toy_outer {
  struct {
    unsigned rows[2];
    int count;
  } inner;
  long long total;
};

void toy_put(const struct toy_outer* outer);
