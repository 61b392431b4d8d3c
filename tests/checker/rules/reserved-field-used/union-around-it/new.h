#pragma once
struct f { int n; union { int reserved[4]; struct { int depth; int width; }; }; };
int use(struct f *f);
