struct S { char big[1024 * 1024]; char two[2][3][4]; };
