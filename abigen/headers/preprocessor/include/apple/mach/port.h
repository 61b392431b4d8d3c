#ifndef _ABIGEN_MACH_PORT_H
#define _ABIGEN_MACH_PORT_H
typedef unsigned int mach_port_t;
typedef unsigned int mach_port_name_t;
#define MACH_PORT_NULL 0
#endif
