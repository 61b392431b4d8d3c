#ifndef _ABIGEN_CTYPE_H
#define _ABIGEN_CTYPE_H

#endif
