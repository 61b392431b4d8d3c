extern _Thread_local int a; extern __thread int b; static __thread int c;
