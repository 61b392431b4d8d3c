#ifndef _ABIGEN_STDNORETURN_H
#define _ABIGEN_STDNORETURN_H
#define noreturn _Noreturn
#endif
