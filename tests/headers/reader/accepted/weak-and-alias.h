int real(void); extern int other(void) __attribute__((weak)); 
#pragma weak real
