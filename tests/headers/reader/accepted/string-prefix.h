extern char a[sizeof(L"abc")]; extern char b[sizeof u8"x"];
