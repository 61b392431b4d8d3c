// The pragma moves nothing; the struct in it grows by another type into what was padding. Only that should trigger.
#pragma once

#pragma pack(push, 8)
struct toy_outer {
  struct {
    unsigned long long rows;
    int count;
  } inner;
  long long total;
};
#pragma pack(pop)

void toy_put(const struct toy_outer* outer);
