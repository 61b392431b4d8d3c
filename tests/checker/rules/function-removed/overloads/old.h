#ifndef O_H
#define O_H
#define OV __attribute__((overloadable))
#ifdef __cplusplus
extern "C" {
#endif
float OV toy_abs(float x);
double OV toy_abs(double x);
static inline OV int toy_id(int a) { return a; }
static inline OV long toy_id(long a) { return a; }
#ifdef __cplusplus
}
#endif
#endif
