extern int toy_level;
