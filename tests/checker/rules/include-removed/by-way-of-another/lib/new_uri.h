typedef int Toy_Uri;
