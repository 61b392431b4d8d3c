#pragma once

int toy_split(void* toy, unsigned devices, void** out, unsigned* devices_found);
