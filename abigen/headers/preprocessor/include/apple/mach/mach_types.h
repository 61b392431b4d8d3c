#ifndef _ABIGEN_MACH_MACH_TYPES_H
#define _ABIGEN_MACH_MACH_TYPES_H
#include <mach/port.h>
typedef int kern_return_t;
typedef mach_port_t task_t;
typedef mach_port_t thread_t;
typedef mach_port_t host_t;
typedef mach_port_t semaphore_t;
typedef mach_port_t thread_act_t;
typedef mach_port_t clock_serv_t;
#define KERN_SUCCESS 0
#endif
