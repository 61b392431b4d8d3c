#ifndef _ABIGEN_IO_H
#define _ABIGEN_IO_H

#endif
