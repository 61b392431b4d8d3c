int größe; struct π { int α; };
