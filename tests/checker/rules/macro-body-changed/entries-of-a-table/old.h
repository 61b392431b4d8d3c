#ifdef __cplusplus
extern "C" {
#endif
extern void** FooAPI;
#define FOO_HEX 0x4
#define Foo_One (*(int (*)(int)) FooAPI[0])
#define Foo_Two (*(int (*)(int)) \
    FooAPI[1])
#define Foo_Type (*(int*) FooAPI [2])
#define Foo_Call(x) ((int (*)(int)) FooAPI[3])(x)
#define Foo_Hex (*(int*)FooAPI[FOO_HEX])
#define Foo_Sum (*(int*)*(FooAPI + 5))
#define Foo_Data &FooAPI[6]
#ifdef __cplusplus
}
#endif
