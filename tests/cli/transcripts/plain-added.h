int first(void);
int second(int code);
int third(void);
