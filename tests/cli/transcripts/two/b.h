int second(int code);
int third(void);
