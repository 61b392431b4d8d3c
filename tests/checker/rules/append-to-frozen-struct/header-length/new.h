#pragma once
struct info { unsigned hdr_len; unsigned flags; unsigned num; };
int f(struct info *);
