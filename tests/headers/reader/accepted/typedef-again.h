typedef int T; typedef int T; typedef struct S S; typedef struct S S; struct S { S *next; };
