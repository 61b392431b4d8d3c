void f0(void); _Bool f1(void); char f2(signed char, unsigned char); short f3(short int, unsigned short);
long f4(long int, unsigned long, long unsigned int, int long); int unsigned f5(unsigned, signed);
long long f6(unsigned long long, long long int, long unsigned long);
float f7(double, long double, double long);
__int128 f8(unsigned __int128); _Complex float f9(double _Complex, long double _Complex, _Complex);
_Float128 f10(__float128); void f11(__builtin_va_list);
