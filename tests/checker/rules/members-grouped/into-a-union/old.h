#pragma once
struct f { int n; int kept[4]; };
int use(struct f *f);
