enum E { A = 0xffffffff, B = 0x100000000LL, C = -1 }; enum U { X = 4294967295U };
