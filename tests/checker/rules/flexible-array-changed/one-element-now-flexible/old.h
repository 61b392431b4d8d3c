#pragma once
struct f { int n; int m[1]; };
int use(struct f *f);
