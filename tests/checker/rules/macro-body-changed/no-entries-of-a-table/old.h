// What is called an index here is one of the caller's, or the size of what the caller declares.
#define FOO_ONE 1
#define Foo_First(list) ((list)[0])
#define Foo_Buffer char foo_buffer[16]
#define Foo_Next(x) ((x) + 1)
#define Foo_Size(n) ((n) * sizeof(struct foo) + 8)
#define Foo_Cast (*(int (*)(int)) FooAPI[0])
#define Foo_Unknown (*(int*)FooAPI[FOO_ELSEWHERE])
// should not trigger: the same entry, spelled otherwise.
#define Foo_Same (*(int*)FooAPI[1])
#define Foo_Hex (*(int*)FooAPI[0x10])
