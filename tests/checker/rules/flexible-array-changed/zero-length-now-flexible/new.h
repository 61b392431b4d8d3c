#pragma once
struct f { int n; char m[]; };
int use(struct f *f);
