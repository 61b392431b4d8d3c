#ifndef _ABIGEN_DLFCN_H
#define _ABIGEN_DLFCN_H
#define RTLD_LAZY 1
#define RTLD_NOW 2
#ifdef __APPLE__
#define RTLD_LOCAL 4
#define RTLD_GLOBAL 8
#else
#define RTLD_LOCAL 0
#define RTLD_GLOBAL 256
#endif
#endif
