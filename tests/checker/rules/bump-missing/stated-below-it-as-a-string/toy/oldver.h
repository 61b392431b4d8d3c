#pragma once
#define TOY_VERSION "1.2.0"
