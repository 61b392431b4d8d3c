typedef void V; int f(V);
