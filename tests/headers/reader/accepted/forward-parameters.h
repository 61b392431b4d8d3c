/* GNU C: parameters that are declared in advance, because lengths before them need them. */
int sum(int n; int values[n], int n);
void scale(int rows, int cols; double m[rows][cols], int rows, int cols);
void name(unsigned count; int kind; char text[count], unsigned count, int kind);
typedef struct table {
  int (*fill)(int n; double cells[n][2], int n);
} table;
static inline int twice(int n; int values[n], int n) { for (int i = 0; i < n; i++) { values[i] *= 2; } return n; }
