#define PI 3.14
#define NAME "x" "y"
#define EMPTY
#define TYPE unsigned char
TYPE x[(int)PI];
