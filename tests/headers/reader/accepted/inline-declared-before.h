/* Math headers of macOS declare inline functions before they define them. */
inline int declared_before(int);
inline int declared_before(int x) { return x; }
int external(int);
inline int external(int x) { return x; }
static int private_to_each(int);
inline int private_to_each(int x) { return x; }
