;;int x;;
