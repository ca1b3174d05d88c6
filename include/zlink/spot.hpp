// SPDX-License-Identifier: MPL-2.0
//
// Topics without addresses: nodes that find each other, publishers and subscribers that
// name topics alone. Not with a minimal library.
//
// Thread rule: a node and a publisher may be used by any number of threads; one at a time
// receives from a subscriber or a reader. Lifetime: a context outlives its nodes. A node may
// end before its publishers, subscribers and readers: what those have in their queues can
// still be received, then calls answer terminated, and publishing without a key not_a_socket.
//
// Texts are read within the call. What a call does and how it fails stands in zlink.h with the
// function that it calls; here is said what is different, and failures that one may expect.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlink/context.hpp>
#include <zlink/discovery.hpp>
#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/message.hpp>
#include <zlink/options.hpp>
#include <zlink/security.hpp>
#include <zlink/spot_awaiting.hpp>
#include <zlink/zlink.h>

namespace zlink {

// What becomes of messages for which a subscriber's queue has no room.
enum class spot_policy : int
{
    drop_newest = ZLINK_SPOT_DROP_NEWEST,
    drop_oldest = ZLINK_SPOT_DROP_OLDEST,
    conflate = ZLINK_SPOT_CONFLATE,      // the newest of each topic waits alone
    block = ZLINK_SPOT_BLOCK,            // its node reads no further, for no subscriber
    disconnect = ZLINK_SPOT_DISCONNECT,  // it gets no more: ECONNABORTED once all is read
};

// What a node has done since it was made: messages, but where it is said.
struct spot_node_counters
{
    std::uint64_t published = 0;  // also where nobody wanted them
    std::uint64_t received = 0;   // of other nodes and its own, read for subscribers
    std::uint64_t delivered = 0;  // to subscribers, each counted anew
    std::uint64_t unwanted = 0;   // received, and nobody wanted them any more
    std::uint64_t repeated = 0;   // had come over another connection before
    std::uint64_t malformed = 0;
    std::uint64_t missed = 0;  // a node had no room for us
    std::uint64_t broken = 0;  // connections that ended without a farewell
    std::uint64_t nodes = 0;   // that read this one, now
};

enum class spot_match : std::int32_t
{
    declared = ZLINK_SPOT_TOPIC_DECLARED,  // a partitioned topic
    exact = ZLINK_SPOT_TOPIC_EXACT,        // what subscribers and readers of the node want
    prefix = ZLINK_SPOT_TOPIC_PREFIX,
    glob = ZLINK_SPOT_TOPIC_GLOB,
};

// A topic that a node knows by itself.
struct spot_topic
{
    std::string name;  // of a prefix without the '*'
    spot_match match = spot_match::exact;
    std::uint32_t wanted = 0;  // so often; of those that are declared 0
    std::uint32_t partitions = 0;
    std::uint32_t owned_here = 0;  // of those, now
};

// The sockets of a node, for their options.
enum class spot_socket : int
{
    publisher = ZLINK_SPOT_NODE_SOCKET_PUB,   // other nodes connect to it
    subscriber = ZLINK_SPOT_NODE_SOCKET_SUB,  // it connects to other nodes
    registries = ZLINK_SPOT_NODE_SOCKET_DEALER,
    grantors = ZLINK_SPOT_NODE_SOCKET_GRANTOR,
};

// What publishing does where a node that wants the message has no room.
enum class spot_full : int
{
    drop,         // it misses the message, and is told so
    would_block,  // publish() fails with that, and nobody gets it
};

// A node's own options: zlink.h's ZLINK_SPOT_NODE_OPT_*. PUB_MODE and the policy are
// spot_node::set_full().
template <class T> struct spot_option
{
    option<T> raw;
};

namespace spot_options {

inline constexpr spot_option<int> pub_queue_hwm{{ZLINK_SPOT_NODE_OPT_PUB_QUEUE_HWM, "PUB_QUEUE_HWM"}};
inline constexpr spot_option<std::string> advertise{{ZLINK_SPOT_NODE_OPT_ADVERTISE, "ADVERTISE"}};
inline constexpr spot_option<bool> owns{{ZLINK_SPOT_NODE_OPT_OWNS, "OWNS"}};
inline constexpr spot_option<int> ring_messages{{ZLINK_SPOT_NODE_OPT_RING_MESSAGES, "RING_MESSAGES"}};
inline constexpr spot_option<int> ring_bytes{{ZLINK_SPOT_NODE_OPT_RING_BYTES, "RING_BYTES"}};
inline constexpr spot_option<int> reader_hwm{{ZLINK_SPOT_NODE_OPT_READER_HWM, "READER_HWM"}};

}  // namespace spot_options

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

// From where a reader reads, in each partition by itself: what is numbered from now on, so many
// before that, or from the same number on.
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

    // --- for what is bound, connected or declared later ---

    // Keys, passwords and certificates of all its sockets.
    void secure (const security &how)
    {
        detail::value_of (secure (std::nothrow, how), "zlink::spot_node::secure");
    }
    result<void> secure (std::nothrow_t, const security &how) noexcept
    {
        return detail::outcome (zlink_service_secure (handle_, &how));
    }
    // Keys, certificates and the like of one.
    template <class T> void set (spot_socket of, const option<T> &which, const std::type_identity_t<T> &value)
    {
        detail::value_of (set (std::nothrow, of, which, value), which.name);
    }
    template <class T>
    result<void> set (std::nothrow_t,
                      spot_socket of,
                      const option<T> &which,
                      const std::type_identity_t<T> &value) noexcept
    {
        return set_of (static_cast<int> (of), which, value);
    }
    // failure: invalid_argument: no such value.
    template <class T> void set (const spot_option<T> &which, const std::type_identity_t<T> &value)
    {
        detail::value_of (set (std::nothrow, which, value), which.raw.name);
    }
    template <class T>
    result<void>
    set (std::nothrow_t, const spot_option<T> &which, const std::type_identity_t<T> &value) noexcept
    {
        return set_of (ZLINK_SPOT_NODE_SOCKET_NODE, which.raw, value);
    }
    // What publishers do where there is no room, from now on: drop, unless this is called.
    void set_full (spot_full what)
    {
        detail::value_of (set_full (std::nothrow, what), "zlink::spot_node::set_full");
    }
    result<void> set_full (std::nothrow_t, spot_full what) noexcept
    {
        constexpr option<int> policy{ZLINK_SPOT_NODE_OPT_PUB_QUEUE_FULL_POLICY, "PUB_QUEUE_FULL_POLICY"};
        constexpr option<int> mode{ZLINK_SPOT_NODE_OPT_PUB_MODE, "PUB_MODE"};
        const result<void> set = set_of (ZLINK_SPOT_NODE_SOCKET_NODE, policy,
                                         what == spot_full::drop ? ZLINK_SPOT_NODE_PUB_QUEUE_FULL_DROP
                                                                 : ZLINK_SPOT_NODE_PUB_QUEUE_FULL_EAGAIN);
        return set ? set_of (ZLINK_SPOT_NODE_SOCKET_NODE, mode, ZLINK_SPOT_NODE_PUB_MODE_ASYNC) : set;
    }
    // Whoever connects over tls or wss is shown this certificate. PEM, a path or the text.
    void set_tls_server (const char *certificate, const char *key)
    {
        detail::value_of (set_tls_server (std::nothrow, certificate, key),
                          "zlink::spot_node::set_tls_server");
    }
    result<void> set_tls_server (std::nothrow_t, const char *certificate, const char *key) noexcept
    {
        return detail::outcome (zlink_spot_node_set_tls_server (handle_, certificate, key));
    }
    // Whose certificates are trusted of those that this node connects to over tls or wss, and the
    // host that they have to name; nullptr: that stays as it is. trust_system: the system's
    // authorities are trusted, too. Registries and grantors: secure(), or set() of theirs.
    void set_tls_client (const char *authority, const char *host = nullptr, bool trust_system = false)
    {
        detail::value_of (set_tls_client (std::nothrow, authority, host, trust_system),
                          "zlink::spot_node::set_tls_client");
    }
    result<void> set_tls_client (std::nothrow_t,
                                 const char *authority,
                                 const char *host = nullptr,
                                 bool trust_system = false) noexcept
    {
        return detail::outcome (
          zlink_spot_node_set_tls_client (handle_, authority, host, static_cast<int> (trust_system)));
    }

    // Where others reach it. Answers the endpoint as it is bound. More than once, at any time.
    // failure: as socket_base::bind.
    std::string bind (const char *endpoint)
    {
        return detail::value_of (bind (std::nothrow, endpoint), "zlink::spot_node::bind");
    }
    result<std::string> bind (std::nothrow_t, const char *where) noexcept
    {
        if (zlink_spot_node_bind (handle_, where) != 0)
            return last_error ();
        return endpoint (std::nothrow);
    }
    // Where it was bound last. failure: no_such_endpoint: nowhere.
    [[nodiscard]] std::string endpoint () const
    {
        return detail::value_of (endpoint (std::nothrow), "zlink::spot_node::endpoint");
    }
    [[nodiscard]] result<std::string> endpoint (std::nothrow_t) const noexcept
    {
        return detail::no_throw ([&] () -> result<std::string> {
            char text[1024];
            std::size_t size = sizeof text;
            if (zlink_spot_node_endpoint (handle_, text, &size) != 0)
                return last_error ();
            return std::string (text);
        });
    }
    // What that node publishes is read from now on, or no longer; it does not read this one. Does
    // not wait. disconnect: failure: no_such_endpoint: it was not connected to.
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
    // Everybody who knows the seed is connected with this one, both ways; nullptr: others may join
    // it. Does not wait. Bound to a wildcard alone it tells nobody where it is, and is read by those
    // alone whose seed it is.
    void join (const char *seed) { detail::value_of (join (std::nothrow, seed), "zlink::spot_node::join"); }
    result<void> join (std::nothrow_t, const char *seed) noexcept
    {
        return detail::outcome (zlink_spot_node_join (handle_, seed));
    }
    // That seed is dialled no more; nullptr: none is, those who joined part with each other, and
    // what of them is on its way is lost. failure: no_such_endpoint: it had not joined so.
    void leave (const char *seed = nullptr)
    {
        detail::value_of (leave (std::nothrow, seed), "zlink::spot_node::leave");
    }
    result<void> leave (std::nothrow_t, const char *seed = nullptr) noexcept
    {
        return detail::outcome (zlink_spot_node_leave (handle_, seed));
    }

    // A registry, or an etcd (etcd://HOST:PORT/PREFIX), at which it is offered; of several at all.
    // failure: invalid_argument; unknown_scheme: no library for an etcd.
    void connect_registry (const char *registry)
    {
        detail::value_of (connect_registry (std::nothrow, registry), "zlink::spot_node::connect_registry");
    }
    result<void> connect_registry (std::nothrow_t, const char *registry) noexcept
    {
        return detail::outcome (zlink_spot_node_connect_registry (handle_, registry));
    }
    // Registers it under that name ("spot-node") where it was bound last, or at another endpoint:
    // others read it. Does not wait. failure: invalid_argument: it is not bound, or no such name.
    void offer (const char *service = nullptr, const char *endpoint = nullptr)
    {
        detail::value_of (offer (std::nothrow, service, endpoint), "zlink::spot_node::offer");
    }
    result<void>
    offer (std::nothrow_t, const char *service = nullptr, const char *endpoint = nullptr) noexcept
    {
        return detail::outcome (zlink_spot_node_register (handle_, service, endpoint));
    }
    // False: it was not offered.
    bool withdraw (const char *service = nullptr) noexcept
    {
        return zlink_spot_node_unregister (handle_, service) == 0;
    }
    // Everybody who is offered under that name ("spot-node") is read, as they come and go. The
    // discovery is of service_type::spot, and outlives the node or forget_discovery().
    void set_discovery (discovery &from, const char *service = nullptr)
    {
        detail::value_of (set_discovery (std::nothrow, from, service), "zlink::spot_node::set_discovery");
    }
    result<void> set_discovery (std::nothrow_t, discovery &from, const char *service = nullptr) noexcept
    {
        return detail::outcome (zlink_spot_node_set_discovery (handle_, from.handle (), service));
    }
    void forget_discovery () noexcept { zlink_spot_node_set_discovery (handle_, nullptr, nullptr); }

    // Blocks until so many other nodes read this one. False: they did not come in time, or it was
    // interrupted or the context ends: last_error() says which.
    [[nodiscard]] bool wait (std::size_t nodes, std::chrono::milliseconds timeout = for_ever) noexcept
    {
        return zlink_spot_node_wait (handle_, nodes, static_cast<int> (timeout.count ())) == 0;
    }

    [[nodiscard]] spot_node_counters counters () const
    {
        return detail::value_of (counters (std::nothrow), "zlink::spot_node::counters");
    }
    [[nodiscard]] result<spot_node_counters> counters (std::nothrow_t) const noexcept
    {
        zlink_spot_node_counters_t now{};
        now.size = sizeof now;
        if (zlink_spot_node_counters (handle_, &now) != 0)
            return last_error ();
        return spot_node_counters{now.published, now.received, now.delivered, now.unwanted, now.repeated,
                                  now.malformed, now.missed,   now.broken,    now.nodes};
    }
    // What is declared here, and what is wanted here. What others want or publish is not known.
    [[nodiscard]] std::vector<spot_topic> topics () const
    {
        return detail::value_of (topics (std::nothrow), "zlink::spot_node::topics");
    }
    [[nodiscard]] result<std::vector<spot_topic>> topics (std::nothrow_t) const noexcept
    {
        struct collected
        {
            std::vector<spot_topic> all;
            bool full = false;
        } found;
        const auto note = [] (const zlink_spot_topic_t *each, void *hint) {
            auto *const to = static_cast<collected *> (hint);
            try {
                to->all.push_back ({each->name, static_cast<spot_match> (each->kind), each->wanted,
                                    each->partitions, each->owned_here});
            } catch (const std::bad_alloc &) {
                to->full = true;
            }
        };
        if (zlink_spot_node_visit_topics (handle_, note, &found) != 0)
            return last_error ();
        if (found.full)
            return make_error_code (errc::no_memory);
        return std::move (found.all);
    }

    // A registry that grants partitions, or an etcd, before the first topic is declared. The same
    // at every node. failure: wrong_state: one is declared; invalid_argument: no endpoint, or too
    // many (9); unknown_scheme.
    void add_grantor (const char *registry)
    {
        detail::value_of (add_grantor (std::nothrow, registry), "zlink::spot_node::add_grantor");
    }
    result<void> add_grantor (std::nothrow_t, const char *registry) noexcept
    {
        return detail::outcome (zlink_spot_node_add_grantor (handle_, registry));
    }
    // With the same number of partitions, 1 to 65,536, at every node. Does not wait for an owner.
    // failure: invalid_argument: no topic, no such number, or declared with another one.
    void declare (const char *topic, std::uint32_t partitions)
    {
        detail::value_of (declare (std::nothrow, topic, partitions), "zlink::spot_node::declare");
    }
    result<void> declare (std::nothrow_t, const char *topic, std::uint32_t partitions) noexcept
    {
        return detail::outcome (zlink_spot_node_declare (handle_, topic, partitions));
    }
    // What is known here now; number: from 0 on. failure: no_such_endpoint: it is not declared, or
    // has no such partition.
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
    template <class T> result<void> set_of (int role, const option<T> &which, const T &value) noexcept
    {
        return detail::set_service_option (
          which, value, [this, role] (int number, const void *octets, std::size_t size) {
              return zlink_spot_node_setsockopt (handle_, role, number, octets, size);
          });
    }

    void *handle_;
};

class spot_publisher
{
  public:
    // failure: no_memory.
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

    // One part, copied, to all that want the topic; that is nobody's failure. failure:
    // invalid_argument: no topic; would_block: a node has no room, and set_full() said so;
    // no_memory, terminated.
    void publish (const char *topic, std::string_view body)
    {
        detail::value_of (publish (std::nothrow, topic, body), "zlink::spot_publisher::publish");
    }
    result<void> publish (std::nothrow_t, const char *topic, std::string_view body) noexcept
    {
        return detail::outcome (zlink_spot_pub_send (handle_, topic, body.data (), body.size ()));
    }
    // Takes the parts, all or on failure none. failure: as above; invalid_argument: there is none.
    void publish (const char *topic, std::span<message> parts)
    {
        detail::value_of (publish (std::nothrow, topic, parts), "zlink::spot_publisher::publish");
    }
    result<void> publish (std::nothrow_t, const char *topic, std::span<message> parts) noexcept
    {
        zlink_msg_t *const raw = parts.empty () ? nullptr : parts.front ().raw ();
        return detail::outcome (zlink_spot_pub_publish (handle_, topic, raw, parts.size (), 0));
    }
    // To the partition of the key; blocks until it is numbered. failure: no_such_peer: nobody
    // owned it in time; would_block: 64 are under way there; invalid_argument: the topic is not
    // declared, or the key too long; no_memory: of all these it is not numbered and will not be;
    // timed_out, terminated: perhaps it was, or will be.
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

    // The same without waiting: the handler is called once, on the thread of the context's
    // services, or by whoever ends the node; it returns soon, and throws nothing. failure:
    // would_block, invalid_argument, no_memory, terminated: not sent, and it is not called.
    void publish_async (const char *topic,
                        std::string_view key,
                        std::string_view body,
                        std::chrono::milliseconds timeout,
                        std::function<void (result<spot_place> &&)> handler)
    {
        auto kept = std::make_unique<std::function<void (result<spot_place> &&)>> (std::move (handler));
        const auto call = [] (int error, const zlink_spot_place_t *place, void *hint) {
            const std::unique_ptr<std::function<void (result<spot_place> &&)>> told (
              static_cast<std::function<void (result<spot_place> &&)> *> (hint));
            (*told) (place_of (error, place));
        };
        if (send_async (topic, key, body, timeout, call, kept.get ()) != 0)
            detail::fail (last_error (), "zlink::spot_publisher::publish_async");
        static_cast<void> (kept.release ());
    }
    // co_await gives the spot_place. The coroutine goes on where the executor posts it;
    // inline_executor: on the thread of the context's services. What is published outlives the
    // awaiting. failure: as publish and publish_async.
    template <executor Executor> class placing;
    template <executor Executor>
    [[nodiscard]] placing<Executor> publish (Executor &where,
                                             const char *topic,
                                             std::string_view key,
                                             std::string_view body,
                                             std::chrono::milliseconds timeout) noexcept
    {
        return {*this, where, topic, key, body, timeout};
    }

  private:
    static result<spot_place> place_of (int error, const zlink_spot_place_t *place) noexcept
    {
        if (place == nullptr)
            return std::error_code (error, category ());
        return spot_place{place->partition, place->epoch, place->sequence};
    }
    [[nodiscard]] int send_async (const char *topic,
                                  std::string_view key,
                                  std::string_view body,
                                  std::chrono::milliseconds timeout,
                                  zlink_spot_place_fn *call,
                                  void *hint) noexcept
    {
        return zlink_spot_pub_send_key_async (handle_, topic, key.data (), key.size (), body.data (),
                                              body.size (), static_cast<int> (timeout.count ()), call, hint);
    }

    void *handle_;
};

// Stands in the frame of its coroutine.
template <executor Executor> class spot_publisher::placing
{
  public:
    placing (spot_publisher &by,
             Executor &where,
             const char *topic,
             std::string_view key,
             std::string_view body,
             std::chrono::milliseconds timeout) noexcept
      : by_ (by), where_ (where), topic_ (topic), key_ (key), body_ (body), timeout_ (timeout)
    {
    }

    [[nodiscard]] bool await_ready () const noexcept { return false; }
    bool await_suspend (std::coroutine_handle<> waiting) noexcept
    {
        waiting_ = waiting;
        // When it has begun, the coroutine may be elsewhere already.
        if (by_.send_async (topic_, key_, body_, timeout_, &told, this) == 0)
            return true;
        got_ = last_error ();
        return false;
    }
    [[nodiscard]] spot_place await_resume ()
    {
        return detail::value_of (std::move (got_), "zlink::spot_publisher::publish");
    }

  private:
    static void told (int error, const zlink_spot_place_t *place, void *hint)
    {
        auto &self = *static_cast<placing *> (hint);
        self.got_ = place_of (error, place);
        self.where_.post (self.waiting_);
    }

    spot_publisher &by_;
    Executor &where_;
    const char *topic_;
    std::string_view key_;
    std::string_view body_;
    std::chrono::milliseconds timeout_;
    std::coroutine_handle<> waiting_;
    result<spot_place> got_ = make_error_code (errc::terminated);
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

class spot_subscriber;
// The messages of a subscriber, which outlives it.
using spot_range = detail::spot_items<spot_subscriber, spot_message>;

// Of a subscriber's queue.
struct spot_counters
{
    std::uint64_t queued = 0;     // messages, ever
    std::uint64_t dropped = 0;    // are missing, as gaps tell; a broken connection counts as one
    std::uint64_t conflated = 0;  // a newer one took their place
    std::uint64_t waiting = 0;    // now
};

class spot_subscriber
{
  public:
    // failure: no_memory.
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

    // One topic; all that begin with what stands in front of a '*', which has to be the last
    // character; a pattern of segments (ZLINK_SUBSCRIBE_PATTERN). What this node publishes behind
    // it comes; other nodes hear of it a little later. failure: invalid_argument: it is none.
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
    // As often as it was subscribed to. failure: invalid_argument: it was not.
    void unsubscribe (const char *topic)
    {
        detail::value_of (unsubscribe (std::nothrow, topic), "zlink::spot_subscriber::unsubscribe");
    }
    result<void> unsubscribe (std::nothrow_t, const char *topic) noexcept
    {
        return detail::outcome (zlink_spot_sub_unsubscribe (handle_, topic));
    }
    void unsubscribe_prefix (const char *prefix_and_star)
    {
        detail::value_of (unsubscribe_prefix (std::nothrow, prefix_and_star),
                          "zlink::spot_subscriber::unsubscribe_prefix");
    }
    result<void> unsubscribe_prefix (std::nothrow_t, const char *prefix_and_star) noexcept
    {
        return detail::outcome (zlink_spot_sub_unsubscribe (handle_, prefix_and_star));
    }
    void unsubscribe_glob (const char *pattern)
    {
        detail::value_of (unsubscribe_glob (std::nothrow, pattern),
                          "zlink::spot_subscriber::unsubscribe_glob");
    }
    result<void> unsubscribe_glob (std::nothrow_t, const char *pattern) noexcept
    {
        return detail::outcome (zlink_spot_sub_unsubscribe_glob (handle_, pattern));
    }
    // What to do where its queue is full, and with how many messages it is (100,000); 0: as it is.
    void set_policy (spot_policy policy, std::size_t messages_max = 0)
    {
        detail::value_of (set_policy (std::nothrow, policy, messages_max),
                          "zlink::spot_subscriber::set_policy");
    }
    result<void> set_policy (std::nothrow_t, spot_policy policy, std::size_t messages_max = 0) noexcept
    {
        return detail::outcome (zlink_spot_sub_set_policy (handle_, static_cast<int> (policy), messages_max));
    }

    [[nodiscard]] spot_counters counters () const
    {
        return detail::value_of (counters (std::nothrow), "zlink::spot_subscriber::counters");
    }
    [[nodiscard]] result<spot_counters> counters (std::nothrow_t) const noexcept
    {
        zlink_spot_counters_t now{};
        now.size = sizeof now;
        if (zlink_spot_sub_counters (handle_, &now) != 0)
            return last_error ();
        return spot_counters{now.queued, now.dropped, now.conflated, now.waiting};
    }

    // The next message or gap; nothing: the time is over. failure: interrupted, terminated;
    // invalid_argument: there is a handler; EBUSY: another thread receives; ECONNABORTED: as
    // spot_policy::disconnect.
    [[nodiscard]] std::optional<spot_message> receive (std::chrono::milliseconds timeout = for_ever)
    {
        return detail::value_of (receive (std::nothrow, timeout), "zlink::spot_subscriber::receive");
    }
    [[nodiscard]] result<std::optional<spot_message>>
    receive (std::nothrow_t, std::chrono::milliseconds timeout = for_ever) noexcept
    {
        return detail::next_of_spot<spot_message, detail::spot_messages> (handle_, timeout);
    }

    // For a poller and other event loops: readable while receive () may find something; only one
    // that finds nothing takes that back. The subscriber's, which is read for by a thread of the
    // context from now on. failure: too_many, no_memory, not_supported.
    [[nodiscard]] zlink_fd_t descriptor ()
    {
        return detail::value_of (descriptor (std::nothrow), "zlink::spot_subscriber::descriptor");
    }
    [[nodiscard]] result<zlink_fd_t> descriptor (std::nothrow_t) noexcept
    {
        zlink_fd_t made{};
        if (zlink_spot_sub_fd (handle_, &made) != 0)
            return last_error ();
        return made;
    }

    // co_await gives the next message or gap, valid until the next call. The coroutine goes
    // on where the executor, which outlives the subscriber, posts it; inline_executor: on a
    // thread of the subscriber's. Stopped: cancelled, and no message is lost by that. Who
    // once awaited does not call the other receive() any more. failure: as there, and no_memory.
    template <executor Executor> [[nodiscard]] auto receive (Executor &where, std::stop_token token = {})
    {
        return detail::spot_awaited<source, Executor, thrown_or_message> (pump (), where, std::move (token));
    }
    // co_await gives a result<spot_message>.
    template <executor Executor>
    [[nodiscard]] auto receive (std::nothrow_t, Executor &where, std::stop_token token = {})
    {
        return detail::spot_awaited<source, Executor, result_of_message> (pump (), where, std::move (token));
    }

    // An input range of what comes, which ends when nothing came for so long, or the node
    // ends. A message is valid until the next. Other failures are thrown.
    [[nodiscard]] spot_range messages (std::chrono::milliseconds timeout = for_ever) noexcept
    {
        return {*this, timeout};
    }

    // From now on called with each message, on a thread of the subscriber's; it throws
    // nothing. Empty: no longer, and none is running. The parts are borrowed. Gaps are not told:
    // counters() counts what is missing. Not in a handler. failure: EBUSY: somebody receives;
    // no_memory.
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
    using source = detail::spot_messages;
    using result_of_message = detail::result_of_spot<spot_message, source>;
    struct thrown_or_message
    {
        spot_message operator() (const result<zlink_spot_message_t> &got) const
        {
            return detail::value_of (result_of_message () (got), "zlink::spot_subscriber::receive");
        }
    };

    const std::shared_ptr<detail::spot_pump<source>> &pump ()
    {
        if (pump_ == nullptr)
            pump_ = std::make_shared<detail::spot_pump<source>> (handle_);
        return pump_;
    }

    void *handle_;
    std::unique_ptr<handler> handler_;
    std::shared_ptr<detail::spot_pump<source>> pump_;  // once somebody awaits
};

// What a reader of a partitioned topic is told; valid until its next call.
class spot_event
{
  public:
    explicit spot_event (const zlink_spot_event_t &from) noexcept : raw_ (from) {}
    [[nodiscard]] bool is_message () const noexcept { return raw_.kind == ZLINK_SPOT_EVENT_MESSAGE; }
    [[nodiscard]] int kind () const noexcept { return raw_.kind; }  // ZLINK_SPOT_EVENT_*
    [[nodiscard]] std::uint32_t partition () const noexcept { return raw_.partition; }
    [[nodiscard]] std::uint64_t epoch () const noexcept { return raw_.epoch; }
    // A message's; of a gap the first that is missing, and the last; of an epoch the first that it
    // gives, and the last that came before.
    [[nodiscard]] std::uint64_t sequence () const noexcept { return raw_.sequence; }
    [[nodiscard]] std::uint64_t last () const noexcept { return raw_.last; }
    // Of an epoch: messages of the last one may be missing.
    [[nodiscard]] bool loss_possible () const noexcept { return raw_.loss_possible != 0; }
    [[nodiscard]] std::uint64_t node () const noexcept { return raw_.node; }  // who published, or owns it now
    // Of a message: so many were numbered behind it, as far as the node knows.
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

class spot_reader;
// What a reader is told; the reader outlives it.
using spot_event_range = detail::spot_items<spot_reader, spot_event>;

// All partitions of a topic, each in its order.
class spot_reader
{
  public:
    // Of all partitions, each from there on. failure: invalid_argument: the topic is not declared;
    // no_memory, terminated.
    spot_reader (spot_node &of, const char *topic, spot_from from)
      : handle_ (zlink_spot_reader_new (of.handle (), topic, from.how (), from.value ()))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::spot_reader");
    }
    spot_reader (spot_reader &&other) noexcept
      : handle_ (std::exchange (other.handle_, nullptr)), handler_ (std::move (other.handler_)),
        pump_ (std::move (other.pump_))
    {
    }
    spot_reader &operator= (spot_reader &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        std::swap (handler_, other.handler_);
        std::swap (pump_, other.pump_);
        return *this;
    }
    spot_reader (const spot_reader &) = delete;
    spot_reader &operator= (const spot_reader &) = delete;
    // Waits for its handler. Not in a handler. Who awaits something is told: terminated.
    ~spot_reader ()
    {
        if (handle_ != nullptr)
            zlink_spot_reader_destroy (&handle_);
        if (pump_ != nullptr)
            pump_->end ();
    }
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // What comes next; nothing: the time is over. failure: interrupted, terminated;
    // invalid_argument: there is a handler; EBUSY: another thread receives.
    [[nodiscard]] std::optional<spot_event> receive (std::chrono::milliseconds timeout = for_ever)
    {
        return detail::value_of (receive (std::nothrow, timeout), "zlink::spot_reader::receive");
    }
    [[nodiscard]] result<std::optional<spot_event>>
    receive (std::nothrow_t, std::chrono::milliseconds timeout = for_ever) noexcept
    {
        return detail::next_of_spot<spot_event, detail::spot_events> (handle_, timeout);
    }

    // As that of a subscriber.
    [[nodiscard]] zlink_fd_t descriptor ()
    {
        return detail::value_of (descriptor (std::nothrow), "zlink::spot_reader::descriptor");
    }
    [[nodiscard]] result<zlink_fd_t> descriptor (std::nothrow_t) noexcept
    {
        zlink_fd_t made{};
        if (zlink_spot_reader_fd (handle_, &made) != 0)
            return last_error ();
        return made;
    }

    // co_await gives what comes next, valid until the next call. Where the coroutine goes on, and
    // what a stop is, as with a subscriber: nothing is lost by it. failure: as there.
    template <executor Executor> [[nodiscard]] auto receive (Executor &where, std::stop_token token = {})
    {
        return detail::spot_awaited<source, Executor, thrown_or_event> (pump (), where, std::move (token));
    }
    // co_await gives a result<spot_event>.
    template <executor Executor>
    [[nodiscard]] auto receive (std::nothrow_t, Executor &where, std::stop_token token = {})
    {
        return detail::spot_awaited<source, Executor, result_of_event> (pump (), where, std::move (token));
    }

    // An input range of what comes, which ends when nothing came for so long, or the node
    // ends. An event is valid until the next. Other failures are thrown.
    [[nodiscard]] spot_event_range events (std::chrono::milliseconds timeout = for_ever) noexcept
    {
        return {*this, timeout};
    }

    // From now on called with each event, which is borrowed, on a thread of the reader's; it
    // throws nothing. Empty: no longer. Not in a handler.
    using handler = std::function<void (const spot_event &event)>;
    void set_handler (handler by)
    {
        auto kept = by ? std::make_unique<handler> (std::move (by)) : nullptr;
        const auto call = [] (const zlink_spot_event_t *event, void *hint) {
            (*static_cast<handler *> (hint)) (spot_event (*event));
        };
        if (zlink_spot_reader_set_handler (handle_, kept == nullptr ? nullptr : +call, kept.get ()) != 0)
            detail::fail (last_error (), "zlink::spot_reader::set_handler");
        handler_ = std::move (kept);
    }

  private:
    using source = detail::spot_events;
    using result_of_event = detail::result_of_spot<spot_event, source>;
    struct thrown_or_event
    {
        spot_event operator() (const result<zlink_spot_event_t> &got) const
        {
            return detail::value_of (result_of_event () (got), "zlink::spot_reader::receive");
        }
    };

    const std::shared_ptr<detail::spot_pump<source>> &pump ()
    {
        if (pump_ == nullptr)
            pump_ = std::make_shared<detail::spot_pump<source>> (handle_);
        return pump_;
    }

    void *handle_;
    std::unique_ptr<handler> handler_;
    std::shared_ptr<detail::spot_pump<source>> pump_;  // once somebody awaits
};

}  // namespace zlink
