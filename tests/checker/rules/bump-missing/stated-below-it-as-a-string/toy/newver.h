#pragma once
#define TOY_VERSION "1.3.0"
