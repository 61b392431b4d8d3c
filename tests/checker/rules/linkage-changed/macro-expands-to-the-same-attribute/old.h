// The attribute hides in a macro, then in another one; the declarations mean the same. Should not trigger.
#ifndef VISIBLE_H_
#define VISIBLE_H_

#define VISIBLE_API __attribute__((visibility("default")))

VISIBLE_API int visible_count(void);
int visible_reset(void);

#endif  // VISIBLE_H_
