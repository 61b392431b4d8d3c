#ifndef TOY_H
#define TOY_H
int Toy_Parse(const char* text);
#endif
