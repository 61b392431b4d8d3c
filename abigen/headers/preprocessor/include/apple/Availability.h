#ifndef _ABIGEN_AVAILABILITY_H
#define _ABIGEN_AVAILABILITY_H
#define __MAC_10_0 1000
#define __MAC_11_0 110000
#define __MAC_12_0 120000
#define __MAC_13_0 130000
#define __MAC_NA 9999
#define __IPHONE_NA 99999
#define __API_AVAILABLE(...)
#define __API_DEPRECATED(...)
#define __API_DEPRECATED_WITH_REPLACEMENT(...)
#define __API_UNAVAILABLE(...)
#define API_AVAILABLE(...)
#define API_DEPRECATED(...)
#define API_DEPRECATED_WITH_REPLACEMENT(...)
#define API_UNAVAILABLE(...)
#define __OSX_AVAILABLE_STARTING(mac, iphone)
#define __OSX_AVAILABLE_BUT_DEPRECATED(...)
#endif
