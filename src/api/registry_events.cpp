#include "api/registry_events.hpp"

#include <algorithm>
#include <array>

namespace zlink::api {

namespace {

// The longest text that an event has (wire/service_limits.hpp), with its end.
using text_room = std::array<char, 256>;
static_assert (wire::service_name_bytes_max < std::tuple_size_v<text_room>);
static_assert (wire::service_endpoint_bytes_max < std::tuple_size_v<text_room>);

struct event_texts
{
    text_room service{}, endpoint{}, host{}, zone{};
};

const char *ended (std::string_view text, text_room &room) noexcept
{
    const std::size_t copied = text.copy (room.data (), room.size () - 1);
    room[copied] = '\0';
    return room.data ();
}

zlink_registry_event_t event_of (std::uint32_t kind, std::uint32_t reason, const char *reason_text) noexcept
{
    zlink_registry_event_t made{};
    made.kind = kind;
    made.reason = reason;
    made.reason_text = reason_text;
    made.service_name = made.endpoint = made.host = made.zone = "";
    return made;
}

}  // namespace

void tell_entry (const wire::registry_entry &entry, zlink_registry_fn *told, void *hint) noexcept
{
    event_texts texts;
    if (entry.gone) {
        const wire::removed_view &from = entry.removed;
        zlink_registry_event_t event =
          event_of (ZLINK_REGISTRY_GONE, from.why, wire::removal_name (from.why));
        event.service_type = from.family;
        event.instance = from.instance;
        event.service_name = ended (from.service, texts.service);
        event.endpoint = ended (from.endpoint, texts.endpoint);
        told (&event, hint);
        return;
    }
    const wire::provider_view &from = entry.provider;
    zlink_registry_event_t event = event_of (ZLINK_REGISTRY_PROVIDER, 0, "");
    event.service_type = from.family;
    event.confirmed = from.version != 0 ? 1 : 0;
    event.weight = from.weight;
    event.instance = from.instance;
    event.registered_at = from.registered_at_ms;
    event.service_name = ended (from.service, texts.service);
    event.endpoint = ended (from.endpoint, texts.endpoint);
    event.host = ended (from.host, texts.host);
    event.zone = ended (from.zone, texts.zone);
    event.labels = from.labels.data ();
    event.labels_size = from.labels.size ();
    told (&event, hint);
}

void tell_refusal (std::uint16_t fault, std::string_view about, zlink_registry_fn *told, void *hint) noexcept
{
    text_room text;
    zlink_registry_event_t event = event_of (ZLINK_REGISTRY_REFUSED, fault, wire::fault_name (fault));
    event.endpoint = ended (about, text);
    told (&event, hint);
}

}  // namespace zlink::api
