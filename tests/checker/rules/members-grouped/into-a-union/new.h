#pragma once
struct f { int n; union { int kept[4]; int depth; } u; };
int use(struct f *f);
