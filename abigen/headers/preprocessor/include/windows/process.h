#ifndef _ABIGEN_PROCESS_H
#define _ABIGEN_PROCESS_H

#endif
