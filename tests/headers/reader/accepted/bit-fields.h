struct S { int a : 3; unsigned b : 1, c : 2; int : 0; unsigned : 4; _Bool d : 1; long e : 40; enum { X } f : 2; };
