extern int a[]; extern int a[5]; extern int b[3]; extern int b[];
