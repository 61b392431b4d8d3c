#ifdef __cplusplus
namespace a { class B; template <class T> void f(T& t = T::x); }
#endif
int x;
