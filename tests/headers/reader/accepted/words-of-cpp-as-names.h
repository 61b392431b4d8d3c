struct S { int class, new, this, template; }; int namespace(int using); typedef int operator; operator delete;
