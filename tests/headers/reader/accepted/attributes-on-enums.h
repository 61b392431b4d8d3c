enum __attribute__((packed)) A { X }; enum B { Y } __attribute__((packed));
typedef enum { Z } __attribute__((__packed__)) C;
