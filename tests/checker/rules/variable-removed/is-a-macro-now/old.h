// A macro in its place lets code compile; binaries still look for the symbol.
#ifndef TOY_H_
#define TOY_H_

extern const int toy_limit;

#endif  // TOY_H_
