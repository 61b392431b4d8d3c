__const int a; int *__restrict p; __volatile__ int v; int *__restrict__ q; __signed__ char c;
