// A guard and a macro for an attribute are no constants. Should not trigger.
int limit_check(int devices);
