// What the tests of services' messages share: fields as strings, and messages with
// random content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/gateway_message.hpp"
#include "wire/registry_message.hpp"
#include "wire/test_bytes.hpp"

namespace zlink::wire::test {

// One field as it is written.
inline std::string field_octets (unsigned tag, std::string_view value)
{
    return be (tag, 2) + be (value.size (), 4) + std::string (value);
}

inline std::string text_of (const std::vector<std::byte> &bytes) { return std::string (as_text (bytes)); }

// Whole messages.
inline std::string encoded (const registry_message &message)
{
    std::vector<std::byte> out;
    encode_registry_message (message, out);
    return text_of (out);
}

inline std::string encoded (const gateway_head &head)
{
    std::vector<std::byte> out;
    encode_gateway_head (head, out);
    return text_of (out);
}

// Draws numbers and texts; keeps the texts, which messages borrow.
template <class Dice> class drawn
{
  public:
    explicit drawn (Dice &dice) : dice_ (dice) {}
    std::uint64_t below (std::uint64_t end) { return dice_ () % end; }
    // Small, large and all between.
    std::uint64_t number () { return dice_ () >> below (64); }
    // Printable, of a size between these.
    std::string_view text (std::size_t bytes_min, std::size_t bytes_max)
    {
        std::string made (bytes_min + below (bytes_max - bytes_min + 1), 'x');
        for (char &each : made)
            each = static_cast<char> ('!' + below (90));
        return kept (std::move (made));
    }
    std::string_view kept (std::string text)
    {
        texts_.push_back (std::make_unique<std::string> (std::move (text)));
        return *texts_.back ();
    }
    // Up to three.
    std::string_view labels ()
    {
        std::vector<char> made;
        for (std::uint64_t i = below (4); i > 0; --i)
            (void)append_label (made, text (1, 20), text (0, 40));
        return kept (std::string (made.begin (), made.end ()));
    }
    // All members of it.
    provider_view provider ()
    {
        return {.family = static_cast<std::uint16_t> (number ()),
                .weight = static_cast<std::uint32_t> (number ()),
                .service = text (1, service_name_bytes_max),
                .endpoint = text (1, service_endpoint_bytes_max),
                .instance = number (),
                .version = number (),
                .registered_at_ms = number (),
                .host = text (0, service_place_bytes_max),
                .zone = text (0, service_place_bytes_max),
                .labels = labels ()};
    }
    removed_view removed ()
    {
        return {.family = static_cast<std::uint16_t> (number ()),
                .why = static_cast<std::uint16_t> (number ()),
                .service = text (1, service_name_bytes_max),
                .endpoint = text (1, service_endpoint_bytes_max),
                .instance = number ()};
    }

  private:
    Dice &dice_;
    std::vector<std::unique_ptr<std::string>> texts_;
};

}  // namespace zlink::wire::test
