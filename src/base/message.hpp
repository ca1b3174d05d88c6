// A message part: 64 bytes, laid out so that it can live inside zmq_msg_t and
// zlink_msg_t.
//
// Small bodies stand inside; larger ones are shared by reference count.
// Ownership: a message owns one reference to its body; move empties the
// source; the free function of adopted memory runs exactly once, when the
// last reference goes, on whatever thread drops it.
// Thread rule: one message is used by one thread at a time; bodies may be
// shared between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/atomic.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"

namespace zlink::base {

using free_function = void (void *data, void *hint);

// Bodies from 16 KiB to 1 MiB are kept for reuse, in classes of powers of
// two, at most turnover_bytes_max of each class that come back on their own
// thread, and as many that come back on another one.
inline constexpr std::size_t pooled_body_min = std::size_t{16} << 10;
inline constexpr std::size_t pooled_body_max = std::size_t{1} << 20;

// A reference-counted body. The bytes follow the header, or are the user's.
struct body
{
    // Values of size_class; all others are classes of the pool.
    static constexpr std::uint32_t plain = 0;
    static constexpr std::uint32_t adopted = UINT32_MAX;

    void *hint = nullptr;  // of release; of a pooled one whose it is, or what lies behind it there
    atomic<std::uint32_t> references{1};
    std::uint32_t size_class = plain;
    free_function *release = nullptr;  // for adopted memory
    std::byte *data = nullptr;
    std::size_t size = 0;

    // A body of size bytes, uninitialised; nullptr when memory is out.
    static body *allocate (std::size_t size) noexcept;
    // Adopts the user's memory; release may be null (constant memory).
    static body *adopt (void *data, std::size_t size, free_function *release, void *hint) noexcept;
    void retain () noexcept { references.fetch_add (1, std::memory_order_relaxed); }
    void drop () noexcept;
    // The user's memory for ever: it may be sent without a copy at any time.
    [[nodiscard]] bool constant () const noexcept { return size_class == adopted && release == nullptr; }
};

// Facts about the peer that a received message carries (zmq_msg_gets).
// Shared by all messages of a connection.
class message_facts
{
  public:
    virtual ~message_facts () = default;
    // nullptr when there is no such property.
    [[nodiscard]] virtual const char *find (const char *name) const noexcept = 0;
    void retain () noexcept { references_.fetch_add (1, std::memory_order_relaxed); }
    void drop () noexcept
    {
        if (references_.fetch_sub (1, std::memory_order_acq_rel) == 1)
            delete this;
    }

  private:
    atomic<std::uint32_t> references_{1};
};

enum class message_kind : std::uint8_t
{
    closed = 0,  // not initialised, or closed: using it is the caller's error
    inlined = 0x65,
    shared = 0x66,  // has a body
};

enum message_flags : std::uint8_t
{
    message_more = 1,
    message_command = 2,
    message_copied = 4,  // the body was shared by zmq_msg_copy
    message_tells_comer = 8,
    message_tells_goer = 16,
    message_tells_recall = message_tells_comer | message_tells_goer,
    message_holds_group = 32,  // its group stands in the message itself
};

// What a message that no peer has sent tells of the peer that it names.
enum class message_event : std::uint8_t
{
    data,  // nothing: the peer has sent it
    connected,
    disconnected,
    recalled,  // it was sent to the peer, and no octet of it has left
};

inline constexpr std::size_t message_inline_max = 40;
inline constexpr std::size_t group_name_max = 255;

class message
{
  public:
    // Trivial on purpose: C programs hold these as raw bytes. init first.
    void init () noexcept
    {
        kind_ = message_kind::inlined;
        flags_ = 0;
        size_ = 0;
        routing_id_ = 0;
        facts_ = nullptr;
        group_ = nullptr;
    }
    // errc::no_memory; the message is empty then.
    result<void> init_size (std::size_t size) noexcept
    {
        init ();
        if (size > message_inline_max)
            return init_large (size);
        size_ = static_cast<std::uint8_t> (size);
        return {};
    }
    result<void> init_copy (bytes_view bytes) noexcept;
    result<void> init_adopt (void *data, std::size_t size, free_function *release, void *hint) noexcept;
    void init_body (body *owned) noexcept;  // takes over one reference

    // A part whose bytes are gone: not valid (), but it still knows more ().
    void init_unavailable () noexcept
    {
        init ();
        kind_ = message_kind::closed;
    }

    [[nodiscard]] bool valid () const noexcept
    {
        return kind_ == message_kind::inlined || kind_ == message_kind::shared;
    }
    // Releases everything; the message is closed afterwards.
    void close () noexcept
    {
        if (holds_references ())
            release_all ();
        kind_ = message_kind::closed;
    }
    // Both valid. The target's old content is released, the source is empty afterwards.
    void move_from (message &source) noexcept;
    // Shares the source's body (or copies an inline one).
    void copy_from (message &source) noexcept;

    [[nodiscard]] std::byte *data () noexcept
    {
        return kind_ == message_kind::shared ? content_.held->data : content_.inlined;
    }
    [[nodiscard]] const std::byte *data () const noexcept { return const_cast<message *> (this)->data (); }
    [[nodiscard]] std::size_t size () const noexcept
    {
        return kind_ == message_kind::shared ? content_.held->size : size_;
    }
    [[nodiscard]] bytes_view view () const noexcept { return {data (), size ()}; }
    [[nodiscard]] bool more () const noexcept { return (flags_ & message_more) != 0; }
    void set_more (bool more) noexcept
    {
        flags_ = static_cast<std::uint8_t> (more ? flags_ | message_more : flags_ & ~message_more);
    }
    [[nodiscard]] message_event event () const noexcept
    {
        switch (flags_ & message_tells_recall) {
        case message_tells_comer:
            return message_event::connected;
        case message_tells_goer:
            return message_event::disconnected;
        case message_tells_recall:
            return message_event::recalled;
        default:
            return message_event::data;
        }
    }
    void set_event (message_event what) noexcept
    {
        static constexpr std::uint8_t marks[] = {0, message_tells_comer, message_tells_goer,
                                                 message_tells_recall};
        flags_ = static_cast<std::uint8_t> ((flags_ & ~message_tells_recall)
                                            | marks[static_cast<std::size_t> (what)]);
    }
    // True when another message may see the same body, or has seen it, or
    // the bytes are constant (ZMQ_SHARED).
    [[nodiscard]] bool shared () const noexcept
    {
        return kind_ == message_kind::shared
               && ((flags_ & message_copied) != 0 || content_.held->constant ()
                   || content_.held->references.load (std::memory_order_relaxed) > 1);
    }
    // The shared body, or null for an inline message. Still owned by the message.
    [[nodiscard]] body *shared_body () const noexcept
    {
        return kind_ == message_kind::shared ? content_.held : nullptr;
    }

    [[nodiscard]] std::uint32_t routing_id () const noexcept { return routing_id_; }
    void set_routing_id (std::uint32_t id) noexcept { routing_id_ = id; }

    [[nodiscard]] const message_facts *facts () const noexcept { return facts_; }
    // Takes a reference of its own; null clears.
    void set_facts (message_facts *facts) noexcept;

    [[nodiscard]] bool has_group () const noexcept
    {
        return group_ != nullptr || (flags_ & message_holds_group) != 0;
    }
    // The group of RADIO/DISH messages, "" when none.
    [[nodiscard]] const char *group () const noexcept;
    [[nodiscard]] std::string_view group_text () const noexcept;
    // A short one stands in the message, where its body leaves room. Longer than
    // group_name_max: invalid_argument; no_memory.
    result<void> set_group (std::string_view name) noexcept;
    // Takes memory for it in any case, so that share_group() needs none.
    result<void> set_group_to_share (std::string_view name) noexcept;
    // The group of a message that set_group_to_share() was called on.
    void share_group (const message &other) noexcept;

  private:
    struct group_name;

    [[nodiscard]] bool holds_references () const noexcept
    {
        return kind_ == message_kind::shared || facts_ != nullptr || group_ != nullptr;
    }
    result<void> init_large (std::size_t size) noexcept;
    void release_all () noexcept;
    void drop_group () noexcept;
    // Octets behind the body, or behind the pointer to it.
    [[nodiscard]] std::size_t room_behind_body () const noexcept
    {
        return message_inline_max - (kind_ == message_kind::shared ? sizeof (body *) : size_);
    }
    // At the message's end, with a NUL.
    [[nodiscard]] char *short_group () noexcept;
    [[nodiscard]] bool set_short_group (std::string_view name) noexcept;

    message_kind kind_;
    std::uint8_t flags_;
    std::uint8_t size_;         // of an inline body
    std::uint8_t group_bytes_;  // of a group in the message, without the NUL
    std::uint32_t routing_id_;
    message_facts *facts_;
    group_name *group_;
    union
    {
        std::byte inlined[message_inline_max];
        body *held;
    } content_;
};

static_assert (sizeof (message) == 64 && alignof (message) == 8);

}  // namespace zlink::base
