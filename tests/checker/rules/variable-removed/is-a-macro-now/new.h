// A macro in its place lets code compile; binaries still look for the symbol.
#ifndef TOY_H_
#define TOY_H_

#define toy_limit 3

#endif  // TOY_H_
