int a[sizeof((int[]){1, 2, 3})]; int b[sizeof((struct { char c[5]; }){0})];
