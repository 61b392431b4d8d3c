typedef struct { int a; } *P; typedef enum { X } *Q; P p; Q q;
