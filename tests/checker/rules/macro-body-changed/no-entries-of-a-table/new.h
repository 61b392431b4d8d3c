#define FOO_ONE 1
#define Foo_First(list) ((list)[1])
#define Foo_Buffer char foo_buffer[32]
#define Foo_Next(x) ((x) + 2)
#define Foo_Size(n) ((n) * sizeof(struct foo) + 16)
#define Foo_Cast (*(int (*)(long)) FooAPI[0])
#define Foo_Unknown (*(int*)FooAPI[7])
#define Foo_Same (*(int*)FooAPI[FOO_ONE])
#define Foo_Hex (*(int*)FooAPI[16])
