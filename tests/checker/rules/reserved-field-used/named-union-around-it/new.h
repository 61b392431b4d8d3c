#pragma once
struct f { int n; union { int reserved[4]; int depth; } u; };
int use(struct f *f);
