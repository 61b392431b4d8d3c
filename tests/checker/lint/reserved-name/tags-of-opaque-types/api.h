// Tags share the rule with other names at file scope, also when a typedef hides them.
#ifndef EXAMPLE_TAGS_OF_OPAQUE_TYPES_H_
#define EXAMPLE_TAGS_OF_OPAQUE_TYPES_H_

typedef struct _ink_pen* InkPen;
typedef struct __ink_pot InkPot;
typedef struct ink_page_ InkPage;

#endif  // EXAMPLE_TAGS_OF_OPAQUE_TYPES_H_
