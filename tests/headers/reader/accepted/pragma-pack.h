#pragma pack(push, 1)
struct A { char c; int i; };
#pragma pack(4)
struct B { char c; long long l; };
#pragma pack(pop)
#pragma pack()
struct C { char c; int i; };
struct D { char c;
#pragma GCC diagnostic ignored "-Wall"
  int i; };
