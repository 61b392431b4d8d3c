#pragma once
struct info { unsigned hdr_len; unsigned flags; };
int f(struct info *);
