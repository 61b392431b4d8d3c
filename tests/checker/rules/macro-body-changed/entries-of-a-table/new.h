#ifdef __cplusplus
extern "C" {
#endif
extern void** FooAPI;
#define FOO_HEX 0x4
#define Foo_Two (*(int (*)(int)) FooAPI[0])
#define Foo_One (*(int (*)(int)) FooAPI[1])
#define Foo_Type (*(int *)FooAPI[3])
#define Foo_Call(y) ((int (*)(int)) FooAPI[4])(y)
#define Foo_Hex (*(int*)FooAPI[5])
#define Foo_Sum (*(int*)*(FooAPI + 6u))
#define Foo_Data &FooAPI[0x7]
#ifdef __cplusplus
}
#endif
