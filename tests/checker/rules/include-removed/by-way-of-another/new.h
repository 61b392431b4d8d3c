#include <lib/new_uri.h>
int Toy_Parse(Toy_Uri uri);
