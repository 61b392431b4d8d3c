enum E { A __attribute__((deprecated)), B __attribute__((deprecated("use A"))) = 3, C [[gnu::deprecated]] };
