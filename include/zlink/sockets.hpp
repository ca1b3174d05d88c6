// SPDX-License-Identifier: MPL-2.0
//
// Sockets: one class for each type, with only the calls that exist for it. A
// pub_socket has no receive, a pull_socket no send.
//
// Sends and receives wait up to SNDTIMEO and RCVTIMEO; that they are over is
// failure::why() == errc::would_block. The try_ forms never wait. Each call
// that can fail has a form that takes std::nothrow and answers a result.
// Thread rule: every call but moving and destroying from any thread, on the
// same socket, too; a message is never torn.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlink/context.hpp>
#include <zlink/error.hpp>
#include <zlink/message.hpp>
#include <zlink/options.hpp>
#include <zlink/zlink.h>

namespace zlink {

// What a socket is ready for.
struct readiness
{
    bool receive = false;
    bool send = false;
};

// What all types have. Made through one of the classes below.
class socket_base
{
  public:
    socket_base (socket_base &&other) noexcept : handle_ (other.handle_.exchange (nullptr)) {}
    socket_base &operator= (socket_base &&other) noexcept
    {
        if (this != &other) {
            close ();
            handle_ = other.handle_.exchange (nullptr);
        }
        return *this;
    }
    socket_base (const socket_base &) = delete;
    socket_base &operator= (const socket_base &) = delete;
    ~socket_base () { close (); }

    // Answers the endpoint with its wildcards filled in. failure: address_in_use
    // and others that zlink_bind names.
    std::string bind (const std::string &endpoint)
    {
        detail::value_of (bind (std::nothrow, endpoint), "zlink::bind");
        return get (options::last_endpoint);
    }
    result<void> bind (std::nothrow_t, const std::string &endpoint) noexcept
    {
        return detail::outcome (zlink_bind (handle (), endpoint.c_str ()));
    }
    // Starts connecting and goes on trying; messages may be sent at once.
    void connect (const std::string &endpoint)
    {
        detail::value_of (connect (std::nothrow, endpoint), "zlink::connect");
    }
    result<void> connect (std::nothrow_t, const std::string &endpoint) noexcept
    {
        return detail::outcome (zlink_connect (handle (), endpoint.c_str ()));
    }
    // failure: no_such_endpoint.
    void unbind (const std::string &endpoint)
    {
        detail::value_of (detail::outcome (zlink_unbind (handle (), endpoint.c_str ())), "zlink::unbind");
    }
    void disconnect (const std::string &endpoint)
    {
        detail::value_of (detail::outcome (zlink_disconnect (handle (), endpoint.c_str ())),
                          "zlink::disconnect");
    }

    // failure: invalid_argument: not with this type, or out of range.
    template <class T> void set (const option<T> &which, const std::type_identity_t<T> &value)
    {
        detail::value_of (set (std::nothrow, which, value), which.name);
    }
    template <class T>
    result<void> set (std::nothrow_t, const option<T> &which, const std::type_identity_t<T> &value) noexcept
    {
        return set_number (which.number, value);
    }
    template <class T> [[nodiscard]] T get (const option<T> &which) const
    {
        return detail::value_of (get_number<T> (which), which.name);
    }

    // Blocks until so many connections are ready. False: the time is over.
    [[nodiscard]] bool wait_peers (unsigned count, std::chrono::milliseconds limit = for_ever)
    {
        const result<void> found =
          detail::outcome (zlink_wait_peers (handle (), count, static_cast<int> (limit.count ())));
        if (!found && found.error () == errc::timed_out)
            return false;
        found.value ();
        return true;
    }
    // How an endpoint does, and why its last connection ended.
    [[nodiscard]] zlink_endpoint_status_t status (const std::string &endpoint) const
    {
        zlink_endpoint_status_t found{};
        detail::value_of (detail::outcome (zlink_connect_status (handle (), endpoint.c_str (), &found)),
                          "zlink::status");
        return found;
    }
    [[nodiscard]] zlink_statistics_t statistics () const
    {
        zlink_statistics_t found{};
        detail::value_of (detail::outcome (zlink_statistics (handle (), &found)), "zlink::statistics");
        return found;
    }
    // Whether a receive or send would not wait now.
    [[nodiscard]] readiness ready () const
    {
        const int events = get (options::events);
        return {(events & ZLINK_POLLIN) != 0, (events & ZLINK_POLLOUT) != 0};
    }

    // At once; calls of other threads on it answer not_a_socket. What is unsent
    // lives on for LINGER. Closing twice does nothing.
    void close () noexcept
    {
        if (void *const open = handle_.exchange (nullptr); open != nullptr)
            zlink_close (open);
    }
    // For calls of the C interface; null once closed or moved from.
    [[nodiscard]] void *handle () const noexcept { return handle_.load (std::memory_order_relaxed); }

  protected:
    socket_base (context &in, int type) : handle_ (zlink_socket (in.handle (), type))
    {
        if (handle () == nullptr)
            throw failure (last_error (), "zlink::socket");
    }

    result<void> set_bytes (int number, bytes_view value) noexcept
    {
        return detail::outcome (zlink_setsockopt (handle (), number, value.data (), value.size ()));
    }

  private:
    template <class T> result<void> set_number (int number, const T &value) noexcept
    {
        if constexpr (std::is_same_v<T, std::string>) {
            return set_bytes (number, bytes_of (value));
        } else if constexpr (std::is_same_v<T, bool>) {
            return set_number<int> (number, value ? 1 : 0);
        } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
            return set_number<int> (number, static_cast<int> (value.count ()));
        } else {
            return detail::outcome (zlink_setsockopt (handle (), number, &value, sizeof value));
        }
    }

    template <class T> result<T> get_number (const option<T> &which) const
    {
        const int number = which.number;
        if constexpr (std::is_same_v<T, std::string>) {
            std::string text (512, '\0');
            std::size_t size = text.size ();
            const result<void> found =
              detail::outcome (zlink_getsockopt (handle (), number, text.data (), &size));
            if (!found)
                return found.error ();
            text.resize (which.is_text && size > 0 ? size - 1 : size);  // texts come with their NUL
            return text;
        } else if constexpr (std::is_same_v<T, bool>) {
            const result<int> found = get_number (option<int>{number, which.name});
            return found ? result<T> (*found != 0) : result<T> (found.error ());
        } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
            const result<int> found = get_number (option<int>{number, which.name});
            return found ? result<T> (T (*found)) : result<T> (found.error ());
        } else {
            T value{};
            std::size_t size = sizeof value;
            const result<void> found = detail::outcome (zlink_getsockopt (handle (), number, &value, &size));
            return found ? result<T> (value) : result<T> (found.error ());
        }
    }

    std::atomic<void *> handle_;
};

namespace detail {

// Nothing when the call would have had to wait.
template <class T> std::optional<T> unless_waiting (result<T> &&answer, const char *call)
{
    if (!answer && answer.error () == errc::would_block)
        return std::nullopt;
    return value_of (std::move (answer), call);
}

// The parts of one message, from the stack when there are few.
template <class Take>
auto whole_message (void *socket, int flags, Take &&take) -> decltype (take (std::span<message> ()))
{
    std::array<message, 8> few;
    std::size_t count = few.size ();
    int got = zlink_recvv (socket, few.data ()->raw (), &count, flags);
    if (got >= 0)
        return take (std::span (few).first (count));
    std::vector<message> many;
    while (got < 0 && zlink_errno () == EMSGSIZE) {
        many.resize (count);
        got = zlink_recvv (socket, many.data ()->raw (), &count, flags);
    }
    if (got < 0)
        return last_error ();
    return take (std::span (many).first (count));
}

template <class Socket> class sends
{
  public:
    // A copy of the bytes as a message of one part. Answers their number.
    template <bytes_like T> std::size_t send (const T &content)
    {
        return value_of (send (std::nothrow, content), "zlink::send");
    }
    template <bytes_like T> result<std::size_t> send (std::nothrow_t, const T &content) noexcept
    {
        return send_bytes (bytes_of (content), 0);
    }
    // False: it would have had to wait, and nothing was sent.
    template <bytes_like T> [[nodiscard]] bool try_send (const T &content)
    {
        return unless_waiting (send_bytes (bytes_of (content), ZLINK_DONTWAIT), "zlink::try_send")
          .has_value ();
    }

    // The message itself. It is empty afterwards; when that fails, unchanged.
    std::size_t send (message &&part)
    {
        return value_of (send (std::nothrow, std::move (part)), "zlink::send");
    }
    result<std::size_t> send (std::nothrow_t, message &&part) noexcept
    {
        return outcome_of<std::size_t> (zlink_msg_send (part.raw (), socket (), 0));
    }
    [[nodiscard]] bool try_send (message &&part)
    {
        return unless_waiting (
                 outcome_of<std::size_t> (zlink_msg_send (part.raw (), socket (), ZLINK_DONTWAIT)),
                 "zlink::try_send")
          .has_value ();
    }

    // Several parts as one message, all or none. They are empty afterwards; when
    // that fails, unchanged.
    void send_parts (std::span<message> parts)
    {
        value_of (send_parts (std::nothrow, parts), "zlink::send_parts");
    }
    result<void> send_parts (std::nothrow_t, std::span<message> parts) noexcept
    {
        return outcome (zlink_sendv (socket (), raw_of (parts), parts.size (), 0));
    }
    [[nodiscard]] bool try_send_parts (std::span<message> parts)
    {
        const result<int> sent =
          outcome_of<int> (zlink_sendv (socket (), raw_of (parts), parts.size (), ZLINK_DONTWAIT));
        return unless_waiting (result<int> (sent), "zlink::try_send_parts").has_value ();
    }
    // The same of copies: send_parts ("topic", numbers, text).
    template <bytes_like... Parts>
    requires (sizeof...(Parts) > 1) void send_parts (const Parts &...contents)
    {
        std::array<message, sizeof...(Parts)> parts{message (contents)...};
        send_parts (std::span (parts));
    }

    // Messages of one part each in one go, waiting for the first only. Answers
    // how many went; those are empty afterwards.
    std::size_t send_batch (std::span<message> messages)
    {
        return value_of (send_batch (std::nothrow, messages), "zlink::send_batch");
    }
    result<std::size_t> send_batch (std::nothrow_t, std::span<message> messages) noexcept
    {
        return outcome_of<std::size_t> (zlink_sendn (socket (), raw_of (messages), messages.size (), 0));
    }
    // The same from one buffer: message i is the next sizes[i] bytes.
    std::size_t send_packed (bytes_view bytes, std::span<const std::uint32_t> sizes)
    {
        return value_of (outcome_of<std::size_t> (zlink_send_packed (socket (), bytes.data (), bytes.size (),
                                                                     sizes.data (), sizes.size (), 0)),
                         "zlink::send_packed");
    }

  protected:
    static zlink_msg_t *raw_of (std::span<message> parts) noexcept
    {
        return parts.empty () ? nullptr : parts.data ()->raw ();
    }

  private:
    [[nodiscard]] void *socket () const noexcept { return static_cast<const Socket *> (this)->handle (); }
    result<std::size_t> send_bytes (bytes_view bytes, int flags) noexcept
    {
        return outcome_of<std::size_t> (zlink_send (socket (), bytes.data (), bytes.size (), flags));
    }
};

template <class Socket> class receives
{
  public:
    // The next part; message::more() tells whether others of its message follow.
    [[nodiscard]] message receive ()
    {
        message part;
        receive (part);
        return part;
    }
    // The same into a message that is there already; what it held is released,
    // on success only.
    void receive (message &part)
    {
        if (take (part, 0) < 0)
            throw failure (last_error (), "zlink::receive");
    }
    [[nodiscard]] result<message> receive (std::nothrow_t) noexcept
    {
        result<message> found (std::in_place);
        if (take (*found, 0) < 0)
            return last_error ();
        return found;
    }
    // Nothing: there is none now.
    [[nodiscard]] std::optional<message> try_receive ()
    {
        std::optional<message> found (std::in_place);
        if (take (*found, ZLINK_DONTWAIT) >= 0)
            return found;
        if (zlink_errno () != EAGAIN)
            throw failure (last_error (), "zlink::try_receive");
        found.reset ();
        return found;
    }

    // Into the caller's memory; what is too long is cut off.
    received receive (std::span<std::byte> to)
    {
        return value_of (receive (std::nothrow, to), "zlink::receive");
    }
    result<received> receive (std::nothrow_t, std::span<std::byte> to) noexcept
    {
        return cut (zlink_recv (socket (), to.data (), to.size (), 0), to);
    }
    [[nodiscard]] std::optional<received> try_receive (std::span<std::byte> to)
    {
        return unless_waiting (cut (zlink_recv (socket (), to.data (), to.size (), ZLINK_DONTWAIT), to),
                               "zlink::try_receive");
    }

    // A whole message. failure: no_memory.
    [[nodiscard]] std::vector<message> receive_parts ()
    {
        return value_of (parts_with (0), "zlink::receive_parts");
    }
    [[nodiscard]] std::optional<std::vector<message>> try_receive_parts ()
    {
        return unless_waiting (parts_with (ZLINK_DONTWAIT), "zlink::try_receive_parts");
    }

    // What is there of messages of one part, waiting for the first only; stops
    // before one of several parts. Answers how many. failure: wrong_state: the
    // first is one of those.
    std::size_t receive_batch (std::span<message> messages)
    {
        return value_of (
          outcome_of<std::size_t> (zlink_recvn (
            socket (), messages.empty () ? nullptr : messages.data ()->raw (), messages.size (), 0)),
          "zlink::receive_batch");
    }
    // The same into one buffer; sizes[i] becomes the size of message i.
    std::size_t receive_packed (std::span<std::byte> buffer, std::span<std::uint32_t> sizes)
    {
        return value_of (outcome_of<std::size_t> (zlink_recv_packed (
                           socket (), buffer.data (), buffer.size (), sizes.data (), sizes.size (), 0)),
                         "zlink::receive_packed");
    }

  private:
    [[nodiscard]] void *socket () const noexcept { return static_cast<const Socket *> (this)->handle (); }
    int take (message &part, int flags) noexcept { return zlink_msg_recv (part.raw (), socket (), flags); }
    static result<received> cut (int size, std::span<std::byte> to) noexcept
    {
        if (size < 0)
            return last_error ();
        const auto whole = static_cast<std::size_t> (size);
        return received{whole, whole > to.size ()};
    }
    result<std::vector<message>> parts_with (int flags)
    {
        return whole_message (socket (), flags,
                              [] (std::span<message> parts) -> result<std::vector<message>> {
                                  std::vector<message> kept;
                                  kept.reserve (parts.size ());
                                  for (message &each : parts)
                                      kept.push_back (std::move (each));
                                  return kept;
                              });
    }
};

template <int Type> class typed : public socket_base
{
  public:
    explicit typed (context &in) : socket_base (in, Type) {}
};

}  // namespace detail

// What generic code may ask for.
template <class S>
concept sender = std::derived_from<S, socket_base> && std::derived_from<S, detail::sends<S>>;
template <class S>
concept receiver = std::derived_from<S, socket_base> && std::derived_from<S, detail::receives<S>>;

// One peer, both ways.
class pair_socket : public detail::typed<ZLINK_PAIR>,
                    public detail::sends<pair_socket>,
                    public detail::receives<pair_socket>
{
  public:
    using typed::typed;
};

// Deals messages to its peers in turn.
class push_socket : public detail::typed<ZLINK_PUSH>, public detail::sends<push_socket>
{
  public:
    using typed::typed;
};

// Takes one message from each peer in turn.
class pull_socket : public detail::typed<ZLINK_PULL>, public detail::receives<pull_socket>
{
  public:
    using typed::typed;
};

// Each subscriber gets what begins with one of its topics.
class pub_socket : public detail::typed<ZLINK_PUB>, public detail::sends<pub_socket>
{
  public:
    using typed::typed;
};

class sub_socket : public detail::typed<ZLINK_SUB>, public detail::receives<sub_socket>
{
  public:
    using typed::typed;
    // Everything that begins with the topic; the empty one is everything.
    template <bytes_like T> void subscribe (const T &topic)
    {
        detail::value_of (set_bytes (ZLINK_SUBSCRIBE, bytes_of (topic)), "zlink::subscribe");
    }
    // Takes one of them back. failure: invalid_argument: there was none.
    template <bytes_like T> void unsubscribe (const T &topic)
    {
        detail::value_of (set_bytes (ZLINK_UNSUBSCRIBE, bytes_of (topic)), "zlink::unsubscribe");
    }
};

// What an xpub_socket receives of its subscribers.
struct subscription
{
    bool begins = false;  // false: it ends
    bytes_view topic;     // in the message
};

// A PUB that hears who subscribes to what.
class xpub_socket : public detail::typed<ZLINK_XPUB>,
                    public detail::sends<xpub_socket>,
                    public detail::receives<xpub_socket>
{
  public:
    using typed::typed;
    // Nothing: the message is one that a subscriber sent for the application.
    [[nodiscard]] static std::optional<subscription> subscription_in (const message &from) noexcept
    {
        const bytes_view bytes = from.bytes ();
        if (bytes.empty () || bytes.front () > std::byte{1})
            return std::nullopt;
        return subscription{bytes.front () == std::byte{1}, bytes.subspan (1)};
    }
};

// A SUB whose subscriptions are messages, and which may send others upstream.
class xsub_socket : public detail::typed<ZLINK_XSUB>,
                    public detail::sends<xsub_socket>,
                    public detail::receives<xsub_socket>
{
  public:
    using typed::typed;
    template <bytes_like T> void subscribe (const T &topic) { tell (std::byte{1}, bytes_of (topic)); }
    template <bytes_like T> void unsubscribe (const T &topic) { tell (std::byte{0}, bytes_of (topic)); }

  private:
    void tell (std::byte what, bytes_view topic)
    {
        message made (topic.size () + 1);
        made.bytes ()[0] = what;
        if (!topic.empty ())
            std::memcpy (made.bytes ().data () + 1, topic.data (), topic.size ());
        send (std::move (made));
    }
};

// Asks, and waits for the reply before it asks again.
class req_socket : public detail::typed<ZLINK_REQ>,
                   public detail::sends<req_socket>,
                   public detail::receives<req_socket>
{
  public:
    using typed::typed;
    // Sends and waits for the reply.
    template <bytes_like T> [[nodiscard]] message request (const T &content)
    {
        send (content);
        return receive ();
    }
};

// Answers each request before it takes the next.
class rep_socket : public detail::typed<ZLINK_REP>,
                   public detail::sends<rep_socket>,
                   public detail::receives<rep_socket>
{
  public:
    using typed::typed;
};

// Deals to its peers and takes from them, in any order.
class dealer_socket : public detail::typed<ZLINK_DEALER>,
                      public detail::sends<dealer_socket>,
                      public detail::receives<dealer_socket>
{
  public:
    using typed::typed;
};

// A message together with the peer that it came from.
struct routed_message
{
    message peer;  // its routing id
    std::vector<message> parts;
};

// Knows its peers by name: the first part of every message.
class router_socket : public detail::typed<ZLINK_ROUTER>,
                      public detail::sends<router_socket>,
                      public detail::receives<router_socket>
{
  public:
    using typed::typed;
    // failure: no_such_peer, with ROUTER_MANDATORY.
    template <bytes_like Id, bytes_like... Parts>
    requires (sizeof...(Parts) > 0) void send_to (const Id &peer, const Parts &...contents)
    {
        send_parts (peer, contents...);
    }
    void send_to (const message &peer, std::span<message> parts)
    {
        std::vector<message> all;
        all.reserve (parts.size () + 1);
        all.push_back (peer.share ());
        for (message &each : parts)
            all.push_back (std::move (each));
        const result<void> sent = send_parts (std::nothrow, all);
        if (!sent)
            for (std::size_t i = 0; i < parts.size (); ++i)
                parts[i] = std::move (all[i + 1]);
        detail::value_of (result<void> (sent), "zlink::send_to");
    }
    [[nodiscard]] routed_message receive_from ()
    {
        std::vector<message> all = receive_parts ();
        routed_message found;
        found.peer = std::move (all.front ());
        all.erase (all.begin ());
        found.parts = std::move (all);
        return found;
    }
};

// What a stream_socket hears of a peer.
enum class stream_news
{
    data,
    came,
    went,
};
struct streamed
{
    message peer;  // its name
    message body;
    stream_news what = stream_news::data;
};

// Speaks to plain byte streams: packets with their length in front, or with
// STREAM_RAW bytes as they come.
class stream_socket : public detail::typed<ZLINK_STREAM>
{
  public:
    using typed::typed;
    // failure: no_such_peer.
    template <bytes_like T> void send_to (const message &peer, const T &body)
    {
        std::array<message, 2> parts{peer.share (), message (body)};
        detail::value_of (detail::outcome (zlink_sendv (handle (), parts.data ()->raw (), parts.size (), 0)),
                          "zlink::send_to");
    }
    // Behind what was sent to it before.
    void disconnect_peer (const message &peer)
    {
        const bool raw = get (options::stream_raw);
        raw ? send_to (peer, "") : send_to (peer, std::string_view ("\0", 1));
    }
    [[nodiscard]] streamed receive_from ()
    {
        return detail::value_of (receive_with (0), "zlink::receive_from");
    }
    [[nodiscard]] std::optional<streamed> try_receive_from ()
    {
        return detail::unless_waiting (receive_with (ZLINK_DONTWAIT), "zlink::try_receive_from");
    }

  private:
    result<streamed> receive_with (int flags)
    {
        return detail::whole_message (handle (), flags, [] (std::span<message> parts) -> result<streamed> {
            if (parts.size () != 2)
                return make_error_code (errc::message_too_long);
            const int event = zlink_msg_get (parts[1].raw (), ZLINK_MSG_EVENT);
            return streamed{std::move (parts[0]), std::move (parts[1]), static_cast<stream_news> (event)};
        });
    }
};

}  // namespace zlink
