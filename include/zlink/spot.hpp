// SPDX-License-Identifier: MPL-2.0
//
// Topics without addresses: nodes that find each other, publishers and subscribers that
// name topics alone. Not with a minimal library.
//
// Thread rule: a node and a publisher may be used by any number of threads; one at a time
// receives from a subscriber. Lifetime: a node outlives its publishers and subscribers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <zlink/context.hpp>
#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/message.hpp>
#include <zlink/spot_awaiting.hpp>
#include <zlink/zlink.h>

namespace zlink {

// What becomes of messages for which a subscriber's queue has no room.
enum class spot_policy : int
{
    drop_newest = ZLINK_SPOT_DROP_NEWEST,
    drop_oldest = ZLINK_SPOT_DROP_OLDEST,
    conflate = ZLINK_SPOT_CONFLATE,      // the newest of each topic waits alone
    block = ZLINK_SPOT_BLOCK,            // its node reads no further
    disconnect = ZLINK_SPOT_DISCONNECT,  // it gets no more
};

// --- of partitioned topics; zlink.h says what they are ---

// What a node knows of a partition.
struct spot_partition
{
    std::uint64_t node = 0;   // this one
    std::uint64_t owner = 0;  // 0: none is known
    std::uint64_t epoch = 0;
    std::uint64_t last = 0;  // number given last
    bool owned_here = false;
};

// Where a message was numbered.
struct spot_place
{
    std::uint32_t partition = 0;
    std::uint64_t epoch = 0;
    std::uint64_t sequence = 0;  // 0: it was, and where is not known any more
};

// From where a reader reads.
class spot_from
{
  public:
    static constexpr spot_from now () noexcept { return {ZLINK_SPOT_FROM_NOW, 0}; }
    static constexpr spot_from last (std::uint64_t messages) noexcept
    {
        return {ZLINK_SPOT_FROM_LAST, messages};
    }
    static constexpr spot_from sequence (std::uint64_t number) noexcept
    {
        return {ZLINK_SPOT_FROM_SEQUENCE, number};
    }
    [[nodiscard]] constexpr int how () const noexcept { return how_; }
    [[nodiscard]] constexpr std::uint64_t value () const noexcept { return value_; }

  private:
    constexpr spot_from (int how, std::uint64_t value) noexcept : how_ (how), value_ (value) {}
    int how_;
    std::uint64_t value_;
};

class spot_node
{
  public:
    // failure: too_many, no_memory, terminated.
    explicit spot_node (context &of) : handle_ (zlink_spot_node_new (of.handle ()))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::spot_node");
    }
    spot_node (spot_node &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    spot_node &operator= (spot_node &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        return *this;
    }
    spot_node (const spot_node &) = delete;
    spot_node &operator= (const spot_node &) = delete;
    // Not in a handler.
    ~spot_node ()
    {
        if (handle_ != nullptr)
            zlink_spot_node_destroy (&handle_);
    }
    // For calls of the C interface.
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // Where others reach it. Answers the endpoint as it is bound.
    std::string bind (const char *endpoint)
    {
        return detail::value_of (bind (std::nothrow, endpoint), "zlink::spot_node::bind");
    }
    result<std::string> bind (std::nothrow_t, const char *endpoint) noexcept
    {
        char text[256];
        std::size_t size = sizeof text;
        if (zlink_spot_node_bind (handle_, endpoint) != 0
            || zlink_spot_node_endpoint (handle_, text, &size) != 0)
            return last_error ();
        try {
            return std::string (text);
        } catch (const std::bad_alloc &) {
            return make_error_code (errc::no_memory);
        }
    }
    // What that node publishes is read from now on, or no longer.
    void connect (const char *peer)
    {
        detail::value_of (connect (std::nothrow, peer), "zlink::spot_node::connect");
    }
    result<void> connect (std::nothrow_t, const char *peer) noexcept
    {
        return detail::outcome (zlink_spot_node_connect_peer_pub (handle_, peer));
    }
    void disconnect (const char *peer)
    {
        detail::value_of (disconnect (std::nothrow, peer), "zlink::spot_node::disconnect");
    }
    result<void> disconnect (std::nothrow_t, const char *peer) noexcept
    {
        return detail::outcome (zlink_spot_node_disconnect_peer_pub (handle_, peer));
    }
    // Everybody who knows the seed is connected with this one; nullptr: others may join it.
    void join (const char *seed) { detail::value_of (join (std::nothrow, seed), "zlink::spot_node::join"); }
    result<void> join (std::nothrow_t, const char *seed) noexcept
    {
        return detail::outcome (zlink_spot_node_join (handle_, seed));
    }
    // Until so many other nodes read this one. False: they did not come in time.
    [[nodiscard]] bool wait (std::size_t nodes, std::chrono::milliseconds timeout = for_ever) noexcept
    {
        return zlink_spot_node_wait (handle_, nodes, static_cast<int> (timeout.count ())) == 0;
    }

    // A registry that grants partitions, before the first topic is declared.
    void add_grantor (const char *registry)
    {
        detail::value_of (add_grantor (std::nothrow, registry), "zlink::spot_node::add_grantor");
    }
    result<void> add_grantor (std::nothrow_t, const char *registry) noexcept
    {
        return detail::outcome (zlink_spot_node_add_grantor (handle_, registry));
    }
    // failure: invalid_argument: no topic, no such number, or declared otherwise.
    void declare (const char *topic, std::uint32_t partitions)
    {
        detail::value_of (declare (std::nothrow, topic, partitions), "zlink::spot_node::declare");
    }
    result<void> declare (std::nothrow_t, const char *topic, std::uint32_t partitions) noexcept
    {
        return detail::outcome (zlink_spot_node_declare (handle_, topic, partitions));
    }
    // failure: no_such_endpoint: it is not declared, or has no such partition.
    [[nodiscard]] spot_partition partition (const char *topic, std::uint32_t number)
    {
        return detail::value_of (partition (std::nothrow, topic, number), "zlink::spot_node::partition");
    }
    [[nodiscard]] result<spot_partition>
    partition (std::nothrow_t, const char *topic, std::uint32_t number) noexcept
    {
        zlink_spot_partition_t now{};
        now.size = sizeof now;
        if (zlink_spot_node_partition (handle_, topic, number, &now) != 0)
            return last_error ();
        return spot_partition{now.node, now.owner, now.epoch, now.last, now.owned_here != 0};
    }

  private:
    void *handle_;
};

class spot_publisher
{
  public:
    explicit spot_publisher (spot_node &of) : handle_ (zlink_spot_pub_new (of.handle ()))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::spot_publisher");
    }
    spot_publisher (spot_publisher &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    spot_publisher &operator= (spot_publisher &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        return *this;
    }
    spot_publisher (const spot_publisher &) = delete;
    spot_publisher &operator= (const spot_publisher &) = delete;
    ~spot_publisher ()
    {
        if (handle_ != nullptr)
            zlink_spot_pub_destroy (&handle_);
    }
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // failure: invalid_argument: no topic; would_block: somebody has no room, where the node
    // was told not to drop; no_memory, terminated.
    void publish (const char *topic, std::string_view body)
    {
        detail::value_of (publish (std::nothrow, topic, body), "zlink::spot_publisher::publish");
    }
    result<void> publish (std::nothrow_t, const char *topic, std::string_view body) noexcept
    {
        return detail::outcome (zlink_spot_pub_send (handle_, topic, body.data (), body.size ()));
    }
    // Takes the parts.
    void publish (const char *topic, std::span<message> parts)
    {
        detail::value_of (publish (std::nothrow, topic, parts), "zlink::spot_publisher::publish");
    }
    result<void> publish (std::nothrow_t, const char *topic, std::span<message> parts) noexcept
    {
        zlink_msg_t *const raw = parts.empty () ? nullptr : parts.front ().raw ();
        return detail::outcome (zlink_spot_pub_publish (handle_, topic, raw, parts.size (), 0));
    }
    // To the partition of the key, until it is numbered. failure: no_such_peer: nobody
    // owned it in time, it is not numbered and will not be; timed_out, terminated: perhaps it
    // was; would_block: too many are under way; invalid_argument: it is not declared.
    spot_place publish (const char *topic,
                        std::string_view key,
                        std::string_view body,
                        std::chrono::milliseconds timeout)
    {
        return detail::value_of (publish (std::nothrow, topic, key, body, timeout),
                                 "zlink::spot_publisher::publish");
    }
    result<spot_place> publish (std::nothrow_t,
                                const char *topic,
                                std::string_view key,
                                std::string_view body,
                                std::chrono::milliseconds timeout) noexcept
    {
        zlink_spot_place_t at{};
        at.size = sizeof at;
        if (zlink_spot_pub_send_key (handle_, topic, key.data (), key.size (), body.data (), body.size (),
                                     &at, static_cast<int> (timeout.count ()))
            != 0)
            return last_error ();
        return spot_place{at.partition, at.epoch, at.sequence};
    }

  private:
    void *handle_;
};

// A message, or news of missing ones; valid until the next call for its subscriber.
class spot_message
{
  public:
    explicit spot_message (const zlink_spot_message_t &from) noexcept : raw_ (from) {}
    [[nodiscard]] std::string_view topic () const noexcept { return {raw_.topic, raw_.topic_size}; }
    // Of a message of one part.
    [[nodiscard]] std::string_view text () const noexcept
    {
        return {static_cast<const char *> (raw_.body), raw_.body_size};
    }
    // All of a message; borrowed. Empty: text() is all of it.
    [[nodiscard]] std::span<const message> parts () const noexcept
    {
        if (raw_.parts == nullptr)
            return {};
        return {reinterpret_cast<const message *> (raw_.parts), raw_.count};
    }
    [[nodiscard]] bool is_gap () const noexcept { return raw_.gap != ZLINK_SPOT_GAP_NONE; }
    [[nodiscard]] int gap () const noexcept { return raw_.gap; }                        // ZLINK_SPOT_GAP_*
    [[nodiscard]] std::uint64_t missing () const noexcept { return raw_.missing; }      // 0: not known
    [[nodiscard]] std::uint64_t publisher () const noexcept { return raw_.publisher; }  // the node
    [[nodiscard]] std::uint64_t number () const noexcept { return raw_.number; }

  private:
    zlink_spot_message_t raw_;
};

class spot_range;

class spot_subscriber
{
  public:
    explicit spot_subscriber (spot_node &of) : handle_ (zlink_spot_sub_new (of.handle ()))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::spot_subscriber");
    }
    spot_subscriber (spot_subscriber &&other) noexcept
      : handle_ (std::exchange (other.handle_, nullptr)), handler_ (std::move (other.handler_)),
        pump_ (std::move (other.pump_))
    {
    }
    spot_subscriber &operator= (spot_subscriber &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        std::swap (handler_, other.handler_);
        std::swap (pump_, other.pump_);
        return *this;
    }
    spot_subscriber (const spot_subscriber &) = delete;
    spot_subscriber &operator= (const spot_subscriber &) = delete;
    // Waits for its handler. Not in a handler. Who awaits a message is told: terminated.
    ~spot_subscriber ()
    {
        if (handle_ != nullptr)
            zlink_spot_sub_destroy (&handle_);
        if (pump_ != nullptr)
            pump_->end ();
    }
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // One topic; all that begin with what stands in front of a '*'; a pattern of segments
    // (ZLINK_SUBSCRIBE_PATTERN).
    void subscribe (const char *topic)
    {
        detail::value_of (subscribe (std::nothrow, topic), "zlink::spot_subscriber::subscribe");
    }
    result<void> subscribe (std::nothrow_t, const char *topic) noexcept
    {
        return detail::outcome (zlink_spot_sub_subscribe (handle_, topic));
    }
    void subscribe_prefix (const char *prefix_and_star)
    {
        detail::value_of (subscribe_prefix (std::nothrow, prefix_and_star),
                          "zlink::spot_subscriber::subscribe_prefix");
    }
    result<void> subscribe_prefix (std::nothrow_t, const char *prefix_and_star) noexcept
    {
        return detail::outcome (zlink_spot_sub_subscribe_pattern (handle_, prefix_and_star));
    }
    void subscribe_glob (const char *pattern)
    {
        detail::value_of (subscribe_glob (std::nothrow, pattern), "zlink::spot_subscriber::subscribe_glob");
    }
    result<void> subscribe_glob (std::nothrow_t, const char *pattern) noexcept
    {
        return detail::outcome (zlink_spot_sub_subscribe_glob (handle_, pattern));
    }
    void set_policy (spot_policy policy, std::size_t messages_max = 0)
    {
        detail::value_of (set_policy (std::nothrow, policy, messages_max),
                          "zlink::spot_subscriber::set_policy");
    }
    result<void> set_policy (std::nothrow_t, spot_policy policy, std::size_t messages_max = 0) noexcept
    {
        return detail::outcome (zlink_spot_sub_set_policy (handle_, static_cast<int> (policy), messages_max));
    }

    // The next; nothing: the time is over. failure: interrupted, terminated, invalid_argument:
    // there is a handler.
    [[nodiscard]] std::optional<spot_message> receive (std::chrono::milliseconds timeout = for_ever)
    {
        return detail::value_of (receive (std::nothrow, timeout), "zlink::spot_subscriber::receive");
    }
    [[nodiscard]] result<std::optional<spot_message>>
    receive (std::nothrow_t, std::chrono::milliseconds timeout = for_ever) noexcept
    {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        if (zlink_spot_sub_next (handle_, &got, static_cast<int> (timeout.count ())) == 0)
            return std::optional (spot_message (got));
        if (const std::error_code why = last_error (); why != make_error_code (errc::would_block))
            return why;
        return std::optional<spot_message> ();
    }

    // co_await gives the next message or gap, valid until the next call. The coroutine goes
    // on where the executor, which outlives the subscriber, posts it; inline_executor: on a
    // thread of the subscriber's. Stopped: cancelled, and no message is lost by that. Who
    // once awaited does not call the other receive() any more. failure: as there, and no_memory.
    template <executor Executor> [[nodiscard]] auto receive (Executor &where, std::stop_token token = {})
    {
        return detail::spot_awaited<Executor, thrown_or_message> (pump (), where, std::move (token));
    }
    // co_await gives a result<spot_message>.
    template <executor Executor>
    [[nodiscard]] auto receive (std::nothrow_t, Executor &where, std::stop_token token = {})
    {
        return detail::spot_awaited<Executor, result_of_message> (pump (), where, std::move (token));
    }

    // An input range of what comes, which ends when nothing came for so long, or the node
    // ends. A message is valid until the next. Other failures are thrown.
    [[nodiscard]] spot_range messages (std::chrono::milliseconds timeout = for_ever) noexcept;

    // From now on called with each message, on a thread of the subscriber's; it throws
    // nothing. Empty: no longer. The parts are borrowed.
    using handler = std::function<void (std::string_view topic, std::span<const message> parts)>;
    void set_handler (handler by)
    {
        auto kept = by ? std::make_unique<handler> (std::move (by)) : nullptr;
        const auto call = [] (const char *topic, std::size_t size, const zlink_msg_t *parts,
                              std::size_t count, void *hint) {
            (*static_cast<handler *> (hint)) ({topic, size},
                                              {reinterpret_cast<const message *> (parts), count});
        };
        if (zlink_spot_sub_set_handler (handle_, kept == nullptr ? nullptr : +call, kept.get ()) != 0)
            detail::fail (last_error (), "zlink::spot_subscriber::set_handler");
        handler_ = std::move (kept);
    }

  private:
    struct result_of_message
    {
        result<spot_message> operator() (const result<zlink_spot_message_t> &got) const noexcept
        {
            if (!got)
                return got.error ();
            return spot_message (*got);
        }
    };
    struct thrown_or_message
    {
        spot_message operator() (const result<zlink_spot_message_t> &got) const
        {
            return detail::value_of (result_of_message () (got), "zlink::spot_subscriber::receive");
        }
    };

    const std::shared_ptr<detail::spot_pump> &pump ()
    {
        if (pump_ == nullptr)
            pump_ = std::make_shared<detail::spot_pump> (handle_);
        return pump_;
    }

    void *handle_;
    std::unique_ptr<handler> handler_;
    std::shared_ptr<detail::spot_pump> pump_;  // once somebody awaits
};

// The messages of a subscriber, which outlives it.
class spot_range : public std::ranges::view_base
{
  public:
    spot_range (spot_subscriber &from, std::chrono::milliseconds timeout) noexcept
      : from_ (&from), timeout_ (timeout)
    {
    }

    class iterator
    {
      public:
        using value_type = spot_message;
        using difference_type = std::ptrdiff_t;
        explicit iterator (spot_range &in) noexcept : in_ (&in) {}
        const spot_message &operator* () const noexcept { return *in_->now_; }
        const spot_message *operator->() const noexcept { return &*in_->now_; }
        iterator &operator++ ()
        {
            in_->read ();
            return *this;
        }
        void operator++ (int) { in_->read (); }
        bool operator== (std::default_sentinel_t) const noexcept { return !in_->now_.has_value (); }

      private:
        spot_range *in_;
    };

    [[nodiscard]] iterator begin ()
    {
        read ();
        return iterator (*this);
    }
    [[nodiscard]] std::default_sentinel_t end () const noexcept { return {}; }

  private:
    void read ()
    {
        result<std::optional<spot_message>> got = from_->receive (std::nothrow, timeout_);
        if (!got && got.error () != make_error_code (errc::terminated))
            detail::fail (got.error (), "zlink::spot_range");
        now_ = got ? *got : std::nullopt;
    }

    spot_subscriber *from_;
    std::chrono::milliseconds timeout_;
    std::optional<spot_message> now_;
};

inline spot_range spot_subscriber::messages (std::chrono::milliseconds timeout) noexcept
{
    return {*this, timeout};
}

// What a reader of a partitioned topic is told; valid until its next call.
class spot_event
{
  public:
    explicit spot_event (const zlink_spot_event_t &from) noexcept : raw_ (from) {}
    [[nodiscard]] bool is_message () const noexcept { return raw_.kind == ZLINK_SPOT_EVENT_MESSAGE; }
    [[nodiscard]] int kind () const noexcept { return raw_.kind; }  // ZLINK_SPOT_EVENT_*
    [[nodiscard]] std::uint32_t partition () const noexcept { return raw_.partition; }
    [[nodiscard]] std::uint64_t epoch () const noexcept { return raw_.epoch; }
    // A message's; of a gap the first that is missing, and the last.
    [[nodiscard]] std::uint64_t sequence () const noexcept { return raw_.sequence; }
    [[nodiscard]] std::uint64_t last () const noexcept { return raw_.last; }
    [[nodiscard]] bool loss_possible () const noexcept { return raw_.loss_possible != 0; }
    [[nodiscard]] std::uint64_t node () const noexcept { return raw_.node; }  // who published, or owns it now
    [[nodiscard]] std::uint64_t behind () const noexcept { return raw_.behind; }
    [[nodiscard]] std::string_view key () const noexcept
    {
        return {static_cast<const char *> (raw_.key), raw_.key_size};
    }
    [[nodiscard]] std::string_view text () const noexcept
    {
        return {static_cast<const char *> (raw_.body), raw_.body_size};
    }
    [[nodiscard]] std::span<const std::byte> body () const noexcept
    {
        return {static_cast<const std::byte *> (raw_.body), raw_.body_size};
    }

  private:
    zlink_spot_event_t raw_;
};

// All partitions of a topic, each in its order.
class spot_reader
{
  public:
    // failure: invalid_argument: the topic is not declared; no_memory, terminated.
    spot_reader (spot_node &of, const char *topic, spot_from from)
      : handle_ (zlink_spot_reader_new (of.handle (), topic, from.how (), from.value ()))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::spot_reader");
    }
    spot_reader (spot_reader &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    spot_reader &operator= (spot_reader &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        return *this;
    }
    spot_reader (const spot_reader &) = delete;
    spot_reader &operator= (const spot_reader &) = delete;
    ~spot_reader ()
    {
        if (handle_ != nullptr)
            zlink_spot_reader_destroy (&handle_);
    }
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // What comes next; nothing: the time is over. failure: interrupted, terminated.
    [[nodiscard]] std::optional<spot_event> receive (std::chrono::milliseconds timeout = for_ever)
    {
        return detail::value_of (receive (std::nothrow, timeout), "zlink::spot_reader::receive");
    }
    [[nodiscard]] result<std::optional<spot_event>>
    receive (std::nothrow_t, std::chrono::milliseconds timeout = for_ever) noexcept
    {
        zlink_spot_event_t got{};
        got.size = sizeof got;
        if (zlink_spot_reader_next (handle_, &got, static_cast<int> (timeout.count ())) == 0)
            return std::optional (spot_event (got));
        if (const std::error_code why = last_error (); why != make_error_code (errc::would_block))
            return why;
        return std::optional<spot_event> ();
    }

  private:
    void *handle_;
};

}  // namespace zlink
