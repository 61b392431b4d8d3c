#pragma once
#define WHEEL_MAJOR 7
#define WHEEL_MINOR 1
