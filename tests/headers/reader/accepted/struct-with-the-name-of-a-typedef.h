typedef int T; struct T { int a; }; struct T t; T u;
