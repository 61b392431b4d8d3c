#pragma once
struct f { long long n; int k; char m[1]; };
int use(struct f *f);
