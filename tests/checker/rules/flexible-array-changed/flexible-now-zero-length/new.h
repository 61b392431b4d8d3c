#pragma once
struct f { int n; char m[0]; };
int use(struct f *f);
