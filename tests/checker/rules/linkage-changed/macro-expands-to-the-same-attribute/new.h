// The attribute hides in a macro, then in another one; the declarations mean the same. Should not trigger.
#ifndef VISIBLE_H_
#define VISIBLE_H_

#if defined(__GNUC__)
#define VISIBLE_EXPORT __attribute__((__visibility__("default")))
#else
#define VISIBLE_EXPORT
#endif
#define VISIBLE_API VISIBLE_EXPORT

VISIBLE_API int visible_count(void);
extern int visible_reset(void);

#endif  // VISIBLE_H_
