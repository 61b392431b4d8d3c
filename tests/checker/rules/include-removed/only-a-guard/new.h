int Toy_Parse(const char* text);
