int a$b;
