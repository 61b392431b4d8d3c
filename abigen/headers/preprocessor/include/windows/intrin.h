#ifndef _ABIGEN_INTRIN_H
#define _ABIGEN_INTRIN_H

#endif
