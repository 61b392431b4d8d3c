int/**/a/* x */;// y
struct /* z */ S /* { */ { /* } */ int /*;*/ b; };
