// Semicolons between parentheses, in bodies of functions whose parameters say struct.
struct list { struct list* next; int value; };

static inline int list_sum(const struct list* list) {
  int sum = 0;
  for (const struct list* each = list; each; each = each->next) sum += each->value;
  return sum;
}

static inline struct list* list_last(struct list* list, struct list* which) {
  for (;;) {
    struct { int steps; } walk = {0};
    walk.steps += which->value;
    if (!list->next) return ({ struct list* found = list; found; });
    list = list->next;
  }
}

struct __attribute__((packed)) entry { char key; int value; };
