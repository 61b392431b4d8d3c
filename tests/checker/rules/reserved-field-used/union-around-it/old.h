#pragma once
struct f { int n; int reserved[4]; };
int use(struct f *f);
