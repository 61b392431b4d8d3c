"""Structs: what is left out, and what is written where nothing belongs to the plugin."""

from __future__ import annotations

from tests.verify.planting import Plant

_PARAMS = "SE_PlatformRegistrationParams"
_MISSING, _SHORT = "required-member-missing", "creation-fails-on-shorter-structs"

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
]  # fmt: skip
