#pragma once
struct f { int n; int m[]; };
int use(struct f *f);
