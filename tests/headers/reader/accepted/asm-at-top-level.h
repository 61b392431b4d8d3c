__asm__(".globl foo"); asm("nop");
