int first(void);
