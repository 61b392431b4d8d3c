union U { int i; float f; struct { char c[8]; } s; }; typedef union U U; U u;
