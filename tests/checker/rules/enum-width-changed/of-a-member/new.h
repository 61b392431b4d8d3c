struct toy { enum { TOY_SMALL = 1, TOY_LARGE = 200, TOY_HUGE = 0x100000000 } size; };
