// What one of its headers has brought, and another that is called otherwise no longer brings.
#include <lib/old_uri.h>
int Toy_Parse(Toy_Uri uri);
