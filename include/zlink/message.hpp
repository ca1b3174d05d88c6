// SPDX-License-Identifier: MPL-2.0
//
// Messages: bytes with an owner, that move.
//
// Thread rule: a message belongs to one thread at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlink/error.hpp>
#include <zlink/zlink.h>

namespace zlink {

using bytes_view = std::span<const std::byte>;

// What may be sent as it lies in memory: strings, and contiguous ranges of
// objects without padding or pointers' owners, such as vectors of numbers.
template <class T>
concept bytes_like = std::convertible_to<const T &, std::string_view> ||(
  std::ranges::contiguous_range<const T> &&std::ranges::sized_range<const T>
    &&std::is_trivially_copyable_v<std::ranges::range_value_t<const T>>);

// A view of its bytes. A string literal counts without its NUL.
template <bytes_like T> [[nodiscard]] bytes_view bytes_of (const T &range) noexcept
{
    if constexpr (std::convertible_to<const T &, std::string_view>) {
        const std::string_view text = range;
        return std::as_bytes (std::span (text.data (), text.size ()));
    } else {
        return std::as_bytes (std::span (std::ranges::data (range), std::ranges::size (range)));
    }
}

[[nodiscard]] inline std::string_view text_of (bytes_view bytes) noexcept
{
    return {reinterpret_cast<const char *> (bytes.data ()), bytes.size ()};
}

// One part. Moving leaves an empty one behind. Small bodies stand inside it.
class message
{
  public:
    message () noexcept { zlink_msg_init (&raw_); }
    // Room for so many bytes, not initialised. failure: no_memory.
    explicit message (std::size_t size) { create (zlink_msg_init_size (&raw_, size)); }
    // A copy. failure: no_memory.
    template <bytes_like T> explicit message (const T &content)
    {
        const bytes_view bytes = bytes_of (content);
        create (zlink_msg_init_buffer (&raw_, bytes.data (), bytes.size ()));
    }

    // A message of the bytes that a container holds, without copying them. It
    // is destroyed on any thread, when nobody refers to the bytes any more.
    // failure: no_memory; the container is lost then.
    template <class Container>
    requires (
      std::ranges::contiguous_range<
        Container> && !std::is_lvalue_reference_v<Container> && !std::ranges::borrowed_range<Container>)
      [[nodiscard]] static message owning (Container &&content)
    {
        auto held = std::make_unique<Container> (std::move (content));
        const auto bytes =
          std::as_writable_bytes (std::span (std::ranges::data (*held), std::ranges::size (*held)));
        message made{nothing{}};
        made.create (zlink_msg_init_data (
          &made.raw_, bytes.data (), bytes.size (),
          [] (void *, void *hint) { delete static_cast<Container *> (hint); }, held.get ()));
        static_cast<void> (held.release ());
        return made;
    }

    // A message of bytes that stay valid and unchanged for ever. failure: no_memory.
    [[nodiscard]] static message of_static (bytes_view bytes)
    {
        message made{nothing{}};
        made.create (zlink_msg_init_data (&made.raw_, const_cast<std::byte *> (bytes.data ()), bytes.size (),
                                          nullptr, nullptr));
        return made;
    }

    message (message &&other) noexcept : raw_ (other.raw_) { zlink_msg_init (&other.raw_); }
    message &operator= (message &&other) noexcept
    {
        if (this != &other)
            zlink_msg_move (&raw_, &other.raw_);
        return *this;
    }
    message (const message &) = delete;
    message &operator= (const message &) = delete;
    ~message () { zlink_msg_close (&raw_); }

    // Another message of the same bytes: large ones are shared, and must not be
    // changed from now on.
    [[nodiscard]] message share () const
    {
        message other;
        if (zlink_msg_copy (&other.raw_, const_cast<zlink_msg_t *> (&raw_)) != 0)
            throw failure (last_error (), "zlink::message::share");
        return other;
    }
    [[nodiscard]] result<message> share (std::nothrow_t) const noexcept
    {
        return detail::no_throw ([&] { return result<message> (share ()); });
    }

    [[nodiscard]] std::size_t size () const noexcept { return zlink_msg_size (&raw_); }
    [[nodiscard]] bool empty () const noexcept { return size () == 0; }
    // Valid until the message is sent, received into, moved or destroyed.
    [[nodiscard]] std::span<std::byte> bytes () noexcept
    {
        return {static_cast<std::byte *> (zlink_msg_data (&raw_)), size ()};
    }
    [[nodiscard]] bytes_view bytes () const noexcept
    {
        auto *const data = zlink_msg_data (const_cast<zlink_msg_t *> (&raw_));
        return {static_cast<const std::byte *> (data), size ()};
    }
    [[nodiscard]] std::string_view text () const noexcept { return text_of (bytes ()); }

    // A number or struct that the bytes are. Nothing when their number differs.
    template <class T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] std::optional<T> as () const noexcept
    {
        const bytes_view from = bytes ();
        if (from.size () != sizeof (T))
            return std::nullopt;
        T value;
        std::memcpy (&value, from.data (), sizeof (T));
        return value;
    }

    // Further parts of the same message follow.
    [[nodiscard]] bool more () const noexcept { return zlink_msg_more (&raw_) != 0; }
    // What a SERVER or a PEER has received: by what number it knows the sender. 0:
    // it was received by another type.
    [[nodiscard]] std::uint32_t peer_number () const noexcept
    {
        return zlink_msg_routing_id (const_cast<zlink_msg_t *> (&raw_));
    }
    // What a DISH has received: of which group it is.
    [[nodiscard]] std::string_view group () const noexcept
    {
        return zlink_msg_group (const_cast<zlink_msg_t *> (&raw_));
    }
    // What the sender's handshake, or the transport, said. Nothing: it did not.
    [[nodiscard]] std::optional<std::string_view> property (const char *name) const noexcept
    {
        const char *const text = zlink_msg_gets (&raw_, name);
        return text == nullptr ? std::nullopt : std::optional<std::string_view> (text);
    }

    // For calls of the C interface.
    [[nodiscard]] zlink_msg_t *raw () noexcept { return &raw_; }

    friend bool operator== (const message &one, const message &other) noexcept
    {
        return one.text () == other.text ();
    }

  private:
    struct nothing
    {
    };
    explicit message (nothing) noexcept { zlink_msg_init (&raw_); }

    void create (int answer)
    {
        if (answer != 0)
            throw failure (last_error (), "zlink::message");
    }

    zlink_msg_t raw_;
};

// Copies, as the parts of one message: parts_of ("topic", numbers). failure:
// no_memory.
template <bytes_like... Parts> [[nodiscard]] std::vector<message> parts_of (const Parts &...contents)
{
    std::vector<message> made;
    made.reserve (sizeof...(Parts));
    (made.emplace_back (contents), ...);
    return made;
}

// An array of messages is an array of parts to the C interface.
static_assert (std::is_standard_layout_v<message> && sizeof (message) == sizeof (zlink_msg_t));

// What a receive into the caller's memory found.
struct received
{
    std::size_t size = 0;    // of the whole part
    bool truncated = false;  // it was larger than the memory; the rest is lost
};

}  // namespace zlink
