// The bits of -1 and of 0xFFFFFFFF are the same; the type has lost its sign.
#ifndef TOY_H_
#define TOY_H_

typedef enum Toy { TOY_ANY = 0xFFFFFFFF, TOY_NONE = 0 } Toy;
void toy_use(Toy toy);

#endif  // TOY_H_
