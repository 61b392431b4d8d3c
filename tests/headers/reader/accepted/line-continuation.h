#define X \
  int \
  x;
X
int y\
z;
