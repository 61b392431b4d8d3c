#include <lib/tree.h>
typedef int Toy_Uri;
