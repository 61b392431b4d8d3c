static __auto_type x = 3; static __auto_type y = 2.5f;
