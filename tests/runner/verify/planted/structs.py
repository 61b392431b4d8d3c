"""Structs: what is left out, and what is written where nothing belongs to the plugin."""

from __future__ import annotations

from tests.runner.verify.planting import START, Plant

_PARAMS = "SE_PlatformRegistrationParams"
_MISSING, _SHORT = "required-member-missing", "creation-fails-on-shorter-structs"
_MEMORY = "memory-fails-on-shorter-structs"
_SIZE = "  mem->size = mem->opaque != NULL ? size : 0;"

STRUCTS = [
    Plant("no-destroy-platform", _MISSING, f"{_PARAMS}.destroy_platform", "generated/plugin.c",
          "  object->destroy_platform = xpu_destroy_platform;", ""),
    Plant("no-destroy-platform-fns", _MISSING, f"{_PARAMS}.destroy_platform_fns", "generated/plugin.c",
          "  object->destroy_platform_fns = xpu_destroy_platform_fns;", ""),
    Plant("no-name", _MISSING, "SP_Platform.name", "platform.c", "  platform = params->platform;",
          "  platform = params->platform; platform->name = NULL;"),
    Plant("writes-padding", "writes-past-end", "SP_Platform", "platform.c", "  platform = params->platform;",
          "  platform = params->platform; memset((char*)platform + SP_PLATFORM_STRUCT_SIZE, 0, "
          "sizeof *platform - SP_PLATFORM_STRUCT_SIZE);", ("creation-fails",), ("-includestring.h",)),
    Plant("writes-behind-device", "writes-past-end", "SP_Device", "platform.c",
          "  params->device->device_handle = own;",
          "  params->device->device_handle = own; ((void**)(params->device + 1))[0] = own;", ("creation-fails",)),
    Plant("one-struct-without-look", "struct-size-ignored", "SP_Device.pci_bus_id", "platform.c",
          "  params->device->device_handle = own;",
          "  params->device->device_handle = own; params->device->pci_bus_id = \"0000:00:00.0\";", (_SHORT,)),
    Plant("another-struct-without-look", "struct-size-ignored", "SP_Platform.force_memory_growth", "platform.c",
          "  if (SP_PLATFORM_HAS_FIELD(platform, force_memory_growth)) {", "  {", (_SHORT,)),
    Plant("writes-payload-without-look", "struct-size-ignored", "SP_DeviceMemoryBase.payload", "memory.c",
          _SIZE, f"{_SIZE}\n  mem->payload = 0;", (_MEMORY,)),
    Plant("reads-payload-without-look", "struct-size-ignored", "SP_DeviceMemoryBase.payload", "memory.c",
          START + "xpu_deallocate", "if (memory->payload == 4711) return;", (_MEMORY,)),
    *(Plant(f"{member}-reads-payload-without-look", "struct-size-ignored", "SP_DeviceMemoryBase.payload", "copy.c",
            f"{START}xpu_{member}", f"if ({place}->payload == 4711) return;", (_MEMORY,))
      for member, place in (("memcpy_htod", "device_dst"), ("memcpy_dtoh", "device_src"), ("memset32", "location"))),
    Plant("writes-statistics-without-look", "struct-size-ignored", "SP_AllocatorStats.largest_free_block_bytes",
          "memory.c", START + "xpu_get_allocator_stats", "stats->largest_free_block_bytes = 0;", (_MEMORY,)),
    Plant("zeroes-statistics-whole", "struct-size-ignored", "SP_AllocatorStats.largest_free_block_bytes",
          "memory.c", START + "xpu_get_allocator_stats",
          "memset(&stats->num_allocs, 0, sizeof *stats - offsetof(SP_AllocatorStats, num_allocs));", (_MEMORY,),
          ("-includestring.h", "-includestddef.h")),
    Plant("copies-nothing-without-payload", _MEMORY, "SP_StreamExecutor.sync_memcpy_dtoh", "copy.c",
          START + "xpu_sync_memcpy_dtoh", "if (!SP_DEVICE_MEMORY_BASE_HAS_FIELD(device_src, payload)) "
          "{ TF_SetStatus(status, TF_OK, \"\"); return; }"),
]  # fmt: skip
