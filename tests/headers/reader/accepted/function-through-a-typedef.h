typedef int F(int); F f, g; F *h; extern F i; struct S { F *p; };
