#pragma once
#define CAR_VERSION_MAJOR 7
#define CAR_VERSION_MINOR 1
