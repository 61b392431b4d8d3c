struct toy { enum { TOY_SMALL = 1, TOY_LARGE = 200 } size; };
