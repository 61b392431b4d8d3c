int first(void);
int second(int code);
