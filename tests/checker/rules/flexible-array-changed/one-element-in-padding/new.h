#pragma once
struct f { long long n; int k; char m[]; };
int use(struct f *f);
