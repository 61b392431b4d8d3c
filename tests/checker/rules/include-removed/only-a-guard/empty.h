#ifndef TOY_EMPTY_H_
#define TOY_EMPTY_H_
#endif
