struct a { int a; } a; enum b { c } b; typedef int d; struct d { d d; };
