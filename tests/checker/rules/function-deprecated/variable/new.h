/** Deprecated. Use toy_get_level. */
extern int toy_level;
