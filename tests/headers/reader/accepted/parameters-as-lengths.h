/* Lengths of arrays that are known when the function is called: to the binary they are pointers (C 6.7.6.3 p7). */
int sum(int n, int values[n]);
void scale(int rows, int cols, double m[rows][cols], double by[2 * cols + 1]);
typedef int (*reader)(unsigned count, const char* names[count], int (*each)(int n, char text[n], char more[count]));
struct table {
  int (*fill)(int n, double (*cells)[n], int rest[static 4], int other[*]);
};
