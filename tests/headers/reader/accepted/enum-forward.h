enum E; enum E *p; enum E { A };
