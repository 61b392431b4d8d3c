struct F { _Float32 a; _Float64 b; _Float32x c; _Float64x d; };
