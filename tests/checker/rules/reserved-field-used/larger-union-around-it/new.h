#pragma once
struct f { int n; union { int reserved[4]; int big[6]; } u; };
int use(struct f *f);
