#pragma once
struct f { int n; short m[]; };
int use(struct f *f);
