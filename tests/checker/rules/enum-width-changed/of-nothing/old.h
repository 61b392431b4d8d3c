// should not trigger: nothing is of the type of these values.
enum { TOY_SMALL = 1, TOY_LARGE = 200 };
