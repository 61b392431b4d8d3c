typedef enum { A } E; typedef enum T { B = A } T; enum T f(E e, T t);
