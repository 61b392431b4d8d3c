int typedef T; long typedef unsigned U; const T typedef *V; T t; U u; V v;
