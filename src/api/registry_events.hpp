// What a registry tells its observer, as the events of zlink.h.
//
// Thread rule: any thread. Takes no memory.
#pragma once

#define ZLINK_BUILD
#include "zlink/zlink.h"

#include <cstdint>
#include <string_view>

#include "service/limits.hpp"

namespace zlink::api {

// Calls told (&event, hint) once. The entry is one that registry_entries has read.
void tell_entry (const wire::registry_entry &entry, zlink_registry_fn *told, void *hint) noexcept;
void tell_refusal (std::uint16_t fault, std::string_view about, zlink_registry_fn *told, void *hint) noexcept;

}  // namespace zlink::api
