// SPDX-License-Identifier: MPL-2.0
//
// Sockets: one class for each type, with only the calls that exist for it. A
// pub_socket has no receive, a pull_socket no send.
//
// Thread rule: every call but moving and destroying from any thread, on the
// same socket, too; a message is never torn.
// Ownership: a socket owns its handle and closes it when it is destroyed; the end
// of its context waits for that. Messages are moved in and out; references, spans
// and strings are looked at during the call only.
// Units: sizes are bytes, times std::chrono, -1 of them without end.
// Blocking: sends wait for room up to SNDTIMEO, receives for a message up to
// RCVTIMEO; nothing else waits unless it says so. The try_ forms never wait.
// Errors: failure is thrown, and nothing was sent, received or changed. The form
// that takes std::nothrow answers a result instead. Besides what a call names, each may answer not_a_socket
// (closed), terminated (the context is ending) and no_memory; one that waits
// also would_block (the time is over) and interrupted (a signal came).
// In a forked child the parent's sockets answer terminated.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
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

// What a socket is ready for at a moment; another thread may take it away.
struct readiness
{
    bool receive = false;
    bool send = false;
};

// What all types have: endpoints, options, how it goes. Made through one of the
// classes below; what was moved from has no handle and answers not_a_socket.
class socket_base
{
  public:
    // The handle changes its owner, connections and messages stay with it; no
    // other thread may be in a call of either. Assigning closes what was there.
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

    // Accepts connections at "tcp://address:port", "ipc://path" or
    // "inproc://name" from now on. Answers the endpoint with its wildcards filled
    // in. failure: address_in_use, address_not_available, unknown_scheme,
    // incompatible (not with this type), invalid_argument, too_many, and what
    // the system says besides. The nothrow form leaves the answer to
    // get (options::last_endpoint).
    std::string bind (const std::string &endpoint)
    {
        detail::value_of (bind (std::nothrow, endpoint), "zlink::bind");
        return get (options::last_endpoint);
    }
    result<void> bind (std::nothrow_t, const std::string &endpoint) noexcept
    {
        return detail::outcome (zlink_bind (handle (), endpoint.c_str ()));
    }
    // Starts connecting and goes on trying until disconnect(); messages may be
    // sent at once. failure: unknown_scheme, incompatible, invalid_argument,
    // too_many; that nobody is there is none, see status().
    void connect (const std::string &endpoint)
    {
        detail::value_of (connect (std::nothrow, endpoint), "zlink::connect");
    }
    result<void> connect (std::nothrow_t, const std::string &endpoint) noexcept
    {
        return detail::outcome (zlink_connect (handle (), endpoint.c_str ()));
    }
    // Takes no more connections there; those that are there stay. The endpoint is
    // what bind() was given or answered. failure: no_such_endpoint.
    void unbind (const std::string &endpoint)
    {
        detail::value_of (unbind (std::nothrow, endpoint), "zlink::unbind");
    }
    result<void> unbind (std::nothrow_t, const std::string &endpoint) noexcept
    {
        return detail::outcome (zlink_unbind (handle (), endpoint.c_str ()));
    }
    // Ends the connection behind what was sent, and dials it no more. failure:
    // no_such_endpoint: not connected to exactly this.
    void disconnect (const std::string &endpoint)
    {
        detail::value_of (disconnect (std::nothrow, endpoint), "zlink::disconnect");
    }
    result<void> disconnect (std::nothrow_t, const std::string &endpoint) noexcept
    {
        return detail::outcome (zlink_disconnect (handle (), endpoint.c_str ()));
    }

    // Most options count for what is bound or connected, or accepted, from then
    // on; options.hpp says what each means. failure: invalid_argument: not with
    // this type, or out of range.
    template <class T> void set (const option<T> &which, const std::type_identity_t<T> &value)
    {
        detail::value_of (set (std::nothrow, which, value), which.name);
    }
    template <class T>
    result<void> set (std::nothrow_t, const option<T> &which, const std::type_identity_t<T> &value) noexcept
    {
        return set_number (which.number, value);
    }
    // As it was set, or its default. failure: invalid_argument: not with this type.
    template <class T> [[nodiscard]] T get (const option<T> &which) const
    {
        return detail::value_of (get_number<T> (which), which.name);
    }
    template <class T> [[nodiscard]] result<T> get (std::nothrow_t, const option<T> &which) const noexcept
    {
        return detail::no_throw ([&] { return get_number<T> (which); });
    }

    // function (claim, user_id) answers whether a peer comes in, 200, 300, 400 or
    // 500, and may write another user id of less than ZLINK_USER_ID_BYTES; see
    // zlink_set_authenticator. It is called on another thread; what it throws counts
    // as 500. failure: not_supported.
    template <class Function>
    requires std::is_invocable_r_v<int, Function &, const zlink_claim_t &, std::string &>
    void set_authenticator (Function function)
    {
        detail::value_of (set_authenticator (std::nothrow, std::move (function)), "zlink::set_authenticator");
    }
    template <class Function>
    requires std::is_invocable_r_v<int, Function &, const zlink_claim_t &, std::string &> result<void>
    set_authenticator (std::nothrow_t, Function function)
    noexcept
    {
        return detail::no_throw ([&] () -> result<void> {
            auto kept = std::make_unique<Function> (std::move (function));
            const int set =
              zlink_set_authenticator (handle (), &ask<Function>, kept.get (), &forget<Function>);
            if (set == 0)
                (void)kept.release ();
            return detail::outcome (set);
        });
    }
    // Nobody is asked this way any more.
    void reset_authenticator ()
    {
        detail::value_of (detail::outcome (zlink_set_authenticator (handle (), nullptr, nullptr, nullptr)),
                          "zlink::reset_authenticator");
    }

    // Blocks until so many connections are ready, or the limit is over (whole
    // milliseconds). False: it is. failure: interrupted.
    [[nodiscard]] bool wait_peers (unsigned count, std::chrono::milliseconds limit = for_ever)
    {
        return detail::value_of (wait_peers (std::nothrow, count, limit), "zlink::wait_peers");
    }
    [[nodiscard]] result<bool>
    wait_peers (std::nothrow_t, unsigned count, std::chrono::milliseconds limit = for_ever) noexcept
    {
        return in_time (zlink_wait_peers (handle (), count, static_cast<int> (limit.count ())));
    }
    // How an endpoint does, and why its last connection ended. failure:
    // no_such_endpoint.
    [[nodiscard]] zlink_endpoint_status_t status (const std::string &endpoint) const
    {
        return detail::value_of (status (std::nothrow, endpoint), "zlink::status");
    }
    [[nodiscard]] result<zlink_endpoint_status_t> status (std::nothrow_t,
                                                          const std::string &endpoint) const noexcept
    {
        zlink_endpoint_status_t found{};
        if (zlink_connect_status (handle (), endpoint.c_str (), &found) != 0)
            return last_error ();
        return found;
    }
    // What has been counted since the socket was made, at this moment.
    [[nodiscard]] zlink_statistics_t statistics () const
    {
        return detail::value_of (statistics (std::nothrow), "zlink::statistics");
    }
    [[nodiscard]] result<zlink_statistics_t> statistics (std::nothrow_t) const noexcept
    {
        zlink_statistics_t found{};
        if (zlink_statistics (handle (), &found) != 0)
            return last_error ();
        return found;
    }
    // Whether a receive or send would not wait now.
    [[nodiscard]] readiness ready () const { return readiness_of (get (options::events)); }
    [[nodiscard]] result<readiness> ready (std::nothrow_t) const noexcept
    {
        const result<int> events = get (std::nothrow, options::events);
        return events ? result<readiness> (readiness_of (*events)) : result<readiness> (events.error ());
    }

    // At once; calls of other threads on it answer not_a_socket, also those that
    // wait. What is unsent lives on for LINGER, and the context's end waits for
    // it so long. Closing twice does nothing.
    void close () noexcept
    {
        if (void *const open = handle_.exchange (nullptr); open != nullptr)
            zlink_close (open);
    }
    // For calls of the C interface; null once closed or moved from.
    [[nodiscard]] void *handle () const noexcept { return handle_.load (std::memory_order_relaxed); }

  protected:
    // failure: too_many sockets, terminated.
    socket_base (context &in, int type) : handle_ (zlink_socket (in.handle (), type))
    {
        if (handle () == nullptr)
            throw failure (last_error (), "zlink::socket");
    }

    // Of a call that waits: false, its time was over.
    static result<bool> in_time (int answer) noexcept
    {
        const result<void> found = detail::outcome (answer);
        if (!found && found.error () != errc::timed_out)
            return found.error ();
        return found.has_value ();
    }

    result<void> set_bytes (int number, bytes_view value) noexcept
    {
        return detail::outcome (zlink_setsockopt (handle (), number, value.data (), value.size ()));
    }

  private:
    static readiness readiness_of (int events) noexcept
    {
        return {(events & ZLINK_POLLIN) != 0, (events & ZLINK_POLLOUT) != 0};
    }
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

    template <class Function> static int ask (const zlink_claim_t *claim, char *user_id, void *hint) noexcept
    try {
        std::string user = user_id;
        const int answer = (*static_cast<Function *> (hint)) (*claim, user);
        if (user.size () >= ZLINK_USER_ID_BYTES)
            return 500;
        user_id[user.copy (user_id, user.size ())] = '\0';
        return answer;
    } catch (...) {
        return 500;
    }
    template <class Function> static void forget (void *hint, void *) noexcept
    {
        delete static_cast<Function *> (hint);
    }

    std::atomic<void *> handle_;
};

namespace detail {

// Nothing when the call would have had to wait.
template <class T> result<std::optional<T>> unless_waiting (result<T> &&answer) noexcept
{
    if (answer)
        return std::optional<T> (*std::move (answer));
    if (answer.error () == errc::would_block)
        return std::optional<T> ();
    return answer.error ();
}
// Whether it did not have to.
template <class T> result<bool> unless_it_waits (result<T> &&answer) noexcept
{
    if (!answer && answer.error () != errc::would_block)
        return answer.error ();
    return answer.has_value ();
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

// The sending half of a type. Waits while every peer is at its high-water mark, or
// there is none, unless the type drops: see the classes below. failure of each:
// would_block, interrupted; wrong_state (REQ, REP: not its turn);
// message_too_long; no_such_peer (ROUTER_MANDATORY).
template <class Socket> class sends_one
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
        return value_of (try_send (std::nothrow, content), "zlink::try_send");
    }
    template <bytes_like T> [[nodiscard]] result<bool> try_send (std::nothrow_t, const T &content) noexcept
    {
        return unless_it_waits (send_bytes (bytes_of (content), ZLINK_DONTWAIT));
    }

    // The message itself, large bodies without a copy. It is empty afterwards;
    // when that fails, unchanged. Answers its size.
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
        return value_of (try_send (std::nothrow, std::move (part)), "zlink::try_send");
    }
    [[nodiscard]] result<bool> try_send (std::nothrow_t, message &&part) noexcept
    {
        return unless_it_waits (
          outcome_of<std::size_t> (zlink_msg_send (part.raw (), socket (), ZLINK_DONTWAIT)));
    }

    // Messages of one part each in one go, waiting for the first only. Answers
    // how many went, at least one; those are empty afterwards, the others
    // unchanged. failure: invalid_argument: none given, or one has more parts.
    std::size_t send_batch (std::span<message> messages)
    {
        return value_of (send_batch (std::nothrow, messages), "zlink::send_batch");
    }
    result<std::size_t> send_batch (std::nothrow_t, std::span<message> messages) noexcept
    {
        return outcome_of<std::size_t> (zlink_sendn (socket (), raw_of (messages), messages.size (), 0));
    }
    // The same of copies from one buffer: message i is the next sizes[i] bytes.
    // failure: invalid_argument: they add up to more than there are.
    std::size_t send_packed (bytes_view bytes, std::span<const std::uint32_t> sizes)
    {
        return value_of (send_packed (std::nothrow, bytes, sizes), "zlink::send_packed");
    }
    result<std::size_t>
    send_packed (std::nothrow_t, bytes_view bytes, std::span<const std::uint32_t> sizes) noexcept
    {
        return outcome_of<std::size_t> (
          zlink_send_packed (socket (), bytes.data (), bytes.size (), sizes.data (), sizes.size (), 0));
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

// The same of a type whose messages may have several parts.
template <class Socket> class sends : public sends_one<Socket>
{
  public:
    // Several parts as one message, all or none. They are empty afterwards; when
    // that fails, unchanged. failure: invalid_argument: there is none.
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
        return value_of (try_send_parts (std::nothrow, parts), "zlink::try_send_parts");
    }
    [[nodiscard]] result<bool> try_send_parts (std::nothrow_t, std::span<message> parts) noexcept
    {
        return unless_it_waits (
          outcome_of<int> (zlink_sendv (socket (), raw_of (parts), parts.size (), ZLINK_DONTWAIT)));
    }
    // The same of copies: send_parts ("topic", numbers, text).
    template <bytes_like... Parts>
    requires (sizeof...(Parts) > 1) void send_parts (const Parts &...contents)
    {
        std::array<message, sizeof...(Parts)> parts{message (contents)...};
        send_parts (std::span (parts));
    }
    template <bytes_like... Parts>
    requires (sizeof...(Parts) > 1) result<void> send_parts (std::nothrow_t, const Parts &...contents)
    noexcept
    {
        return no_throw ([&] {
            std::array<message, sizeof...(Parts)> parts{message (contents)...};
            return send_parts (std::nothrow, std::span (parts));
        });
    }

  private:
    using sends_one<Socket>::raw_of;
    [[nodiscard]] void *socket () const noexcept { return static_cast<const Socket *> (this)->handle (); }
};

// The receiving half of a type. Waits while there is no message. failure of each:
// would_block, interrupted; wrong_state (REQ, REP: not its turn). What was
// received is the caller's.
template <class Socket> class receives_one
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
    // A part without waiting. Nothing: there is none now.
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
    [[nodiscard]] result<std::optional<message>> try_receive (std::nothrow_t) noexcept
    {
        std::optional<message> found (std::in_place);
        if (take (*found, ZLINK_DONTWAIT) >= 0)
            return found;
        if (zlink_errno () != EAGAIN)
            return last_error ();
        return std::optional<message> ();
    }

    // A part into the caller's memory; what is too long is cut off and lost, and
    // the answer says so.
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
        return value_of (try_receive (std::nothrow, to), "zlink::try_receive");
    }
    [[nodiscard]] result<std::optional<received>> try_receive (std::nothrow_t,
                                                               std::span<std::byte> to) noexcept
    {
        return unless_waiting (cut (zlink_recv (socket (), to.data (), to.size (), ZLINK_DONTWAIT), to));
    }

    // What is there of messages of one part, waiting for the first only; stops
    // before one of several parts. Answers how many. failure: wrong_state: the
    // first is one of those.
    std::size_t receive_batch (std::span<message> messages)
    {
        return value_of (receive_batch (std::nothrow, messages), "zlink::receive_batch");
    }
    result<std::size_t> receive_batch (std::nothrow_t, std::span<message> messages) noexcept
    {
        return outcome_of<std::size_t> (zlink_recvn (
          socket (), messages.empty () ? nullptr : messages.data ()->raw (), messages.size (), 0));
    }
    // The same into one buffer, one behind the other; sizes[i] becomes the size of
    // message i. Stops before the first that does not fit. failure:
    // message_too_long: not even the first does, and it stays.
    std::size_t receive_packed (std::span<std::byte> buffer, std::span<std::uint32_t> sizes)
    {
        return value_of (receive_packed (std::nothrow, buffer, sizes), "zlink::receive_packed");
    }
    result<std::size_t>
    receive_packed (std::nothrow_t, std::span<std::byte> buffer, std::span<std::uint32_t> sizes) noexcept
    {
        return outcome_of<std::size_t> (
          zlink_recv_packed (socket (), buffer.data (), buffer.size (), sizes.data (), sizes.size (), 0));
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
};

// The same of a type whose messages may have several parts.
template <class Socket> class receives : public receives_one<Socket>
{
  public:
    // A whole message, all of its parts in their order. failure: no_memory: what
    // the message had is lost where the list cannot be made.
    [[nodiscard]] std::vector<message> receive_parts ()
    {
        return value_of (parts_with (0), "zlink::receive_parts");
    }
    [[nodiscard]] result<std::vector<message>> receive_parts (std::nothrow_t) noexcept
    {
        return no_throw ([&] { return parts_with (0); });
    }
    [[nodiscard]] std::optional<std::vector<message>> try_receive_parts ()
    {
        return value_of (unless_waiting (parts_with (ZLINK_DONTWAIT)), "zlink::try_receive_parts");
    }
    [[nodiscard]] result<std::optional<std::vector<message>>> try_receive_parts (std::nothrow_t) noexcept
    {
        return unless_waiting (no_throw ([&] { return parts_with (ZLINK_DONTWAIT); }));
    }

  private:
    [[nodiscard]] void *socket () const noexcept { return static_cast<const Socket *> (this)->handle (); }
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

// The constructor of all of them. failure: too_many sockets, terminated.
template <int Type> class typed : public socket_base
{
  public:
    explicit typed (context &in) : socket_base (in, Type) {}
};

template <class Type> class with_subscribers : public Type
{
  public:
    using Type::Type;
    // Blocks until so many peers have asked for a topic. False: the time is over.
    [[nodiscard]] bool wait_subscribers (unsigned count, std::chrono::milliseconds limit = for_ever)
    {
        return value_of (wait_subscribers (std::nothrow, count, limit), "zlink::wait_subscribers");
    }
    [[nodiscard]] result<bool>
    wait_subscribers (std::nothrow_t, unsigned count, std::chrono::milliseconds limit = for_ever) noexcept
    {
        return this->in_time (
          zlink_wait_subscribers (this->handle (), count, static_cast<int> (limit.count ())));
    }
};

template <class Type> class with_publishers : public Type
{
  public:
    using Type::Type;
    // Blocks until so many peers have read all subscriptions made before, see
    // zlink_wait_subscribed. False: the time is over.
    [[nodiscard]] bool wait_subscribed (unsigned count = 1, std::chrono::milliseconds limit = for_ever)
    {
        return value_of (wait_subscribed (std::nothrow, count, limit), "zlink::wait_subscribed");
    }
    [[nodiscard]] result<bool>
    wait_subscribed (std::nothrow_t, unsigned count = 1, std::chrono::milliseconds limit = for_ever) noexcept
    {
        return this->in_time (
          zlink_wait_subscribed (this->handle (), count, static_cast<int> (limit.count ())));
    }
};

// Calls by which a type is told of topics.
template <class Type> class with_topics : public Type
{
  public:
    using Type::Type;
    template <bytes_like T> void subscribe (const T &topic)
    {
        value_of (subscribe (std::nothrow, topic), "zlink::subscribe");
    }
    template <bytes_like T> result<void> subscribe (std::nothrow_t, const T &topic) noexcept
    {
        return this->set_bytes (ZLINK_SUBSCRIBE, bytes_of (topic));
    }
    template <bytes_like T> void unsubscribe (const T &topic)
    {
        value_of (unsubscribe (std::nothrow, topic), "zlink::unsubscribe");
    }
    template <bytes_like T> result<void> unsubscribe (std::nothrow_t, const T &topic) noexcept
    {
        return this->set_bytes (ZLINK_UNSUBSCRIBE, bytes_of (topic));
    }
};

// The sending half of a type that knows its peers by numbers: those that
// message::peer_number() of what they sent has told. Waits while that peer has no
// room. failure of each: no_such_peer; would_block, interrupted.
template <class Socket> class sends_by_number
{
  public:
    // A copy of the bytes.
    template <bytes_like T> void send_to (std::uint32_t peer, const T &content)
    {
        value_of (send_to (std::nothrow, peer, content), "zlink::send_to");
    }
    template <bytes_like T>
    result<void> send_to (std::nothrow_t, std::uint32_t peer, const T &content) noexcept
    {
        return no_throw ([&] { return send_to (std::nothrow, peer, message (content)); });
    }
    // The message itself; when that fails its bytes are unchanged.
    void send_to (std::uint32_t peer, message &&content)
    {
        value_of (send_to (std::nothrow, peer, std::move (content)), "zlink::send_to");
    }
    result<void> send_to (std::nothrow_t, std::uint32_t peer, message &&content) noexcept
    {
        return send_with (peer, content, 0);
    }
    // False: it would have had to wait, and nothing was sent.
    [[nodiscard]] bool try_send_to (std::uint32_t peer, message &&content)
    {
        return value_of (try_send_to (std::nothrow, peer, std::move (content)), "zlink::try_send_to");
    }
    [[nodiscard]] result<bool> try_send_to (std::nothrow_t, std::uint32_t peer, message &&content) noexcept
    {
        return unless_it_waits (send_with (peer, content, ZLINK_DONTWAIT));
    }
    // The peer goes, behind what was sent to it. failure: no_such_peer.
    void disconnect_peer (std::uint32_t peer)
    {
        value_of (disconnect_peer (std::nothrow, peer), "zlink::disconnect_peer");
    }
    result<void> disconnect_peer (std::nothrow_t, std::uint32_t peer) noexcept
    {
        return outcome (zlink_disconnect_peer (socket (), peer));
    }

  private:
    [[nodiscard]] void *socket () const noexcept { return static_cast<const Socket *> (this)->handle (); }
    result<void> send_with (std::uint32_t peer, message &content, int flags) noexcept
    {
        if (peer == 0)
            return make_error_code (errc::no_such_peer);
        zlink_msg_set_routing_id (content.raw (), peer);
        return outcome (zlink_msg_send (content.raw (), socket (), flags) < 0 ? -1 : 0);
    }
};

}  // namespace detail

// What generic code may ask for: a type that can send, or receive, and one that
// does so with messages of several parts.
template <class S>
concept sender = std::derived_from<S, socket_base> && std::derived_from<S, detail::sends_one<S>>;
template <class S>
concept receiver = std::derived_from<S, socket_base> && std::derived_from<S, detail::receives_one<S>>;
template <class S>
concept parts_sender = sender<S> && std::derived_from<S, detail::sends<S>>;
template <class S>
concept parts_receiver = receiver<S> && std::derived_from<S, detail::receives<S>>;

// One peer, both ways; another is turned away. A send waits for the peer and for
// room; nothing is dropped.
class pair_socket : public detail::typed<ZLINK_PAIR>,
                    public detail::sends<pair_socket>,
                    public detail::receives<pair_socket>
{
  public:
    using typed::typed;
};

// Deals messages to its peers in turn. A send waits while none has room; nothing
// is dropped while its peer lives.
class push_socket : public detail::typed<ZLINK_PUSH>, public detail::sends<push_socket>
{
  public:
    using typed::typed;
};

// Takes one message from each peer in turn; never sends.
class pull_socket : public detail::typed<ZLINK_PULL>, public detail::receives<pull_socket>
{
  public:
    using typed::typed;
};

// Each subscriber gets what begins with one of its topics. A send never waits:
// what has no room is dropped for that subscriber, and counted (XPUB_NODROP: it
// waits).
class pub_socket : public detail::with_subscribers<detail::typed<ZLINK_PUB>>, public detail::sends<pub_socket>
{
  public:
    using with_subscribers::with_subscribers;
};

// Gets what its publishers send and begins with one of its topics: of the empty one
// everything, without one nothing. Neither call waits; publishers learn of it in
// their time.
// unsubscribe() takes one back; where there is none, it changes nothing.
class sub_socket : public detail::with_topics<detail::with_publishers<detail::typed<ZLINK_SUB>>>,
                   public detail::receives<sub_socket>
{
  public:
    using with_topics::with_topics;
    // What matches the pattern, see ZLINK_SUBSCRIBE_PATTERN. failure:
    // invalid_argument: it is none; too_many.
    template <bytes_like T> void subscribe_pattern (const T &pattern)
    {
        detail::value_of (subscribe_pattern (std::nothrow, pattern), "zlink::subscribe_pattern");
    }
    template <bytes_like T> result<void> subscribe_pattern (std::nothrow_t, const T &pattern) noexcept
    {
        return set_bytes (ZLINK_SUBSCRIBE_PATTERN, bytes_of (pattern));
    }
    template <bytes_like T> void unsubscribe_pattern (const T &pattern)
    {
        detail::value_of (unsubscribe_pattern (std::nothrow, pattern), "zlink::unsubscribe_pattern");
    }
    template <bytes_like T> result<void> unsubscribe_pattern (std::nothrow_t, const T &pattern) noexcept
    {
        return set_bytes (ZLINK_UNSUBSCRIBE_PATTERN, bytes_of (pattern));
    }
};

// What an xpub_socket receives of its subscribers. Borrowed from the message: it
// must live as long.
struct subscription
{
    bool begins = false;  // false: it ends
    bytes_view topic;     // in the message
};

// A PUB that hears what is subscribed to, as messages: the first of a topic and
// the last cancellation, with XPUB_VERBOSE all. Sends as a PUB does.
// With XPUB_MANUAL, subscribe() and unsubscribe() are about the subscriber whose
// message was read last, and do nothing when that has gone; without it, failure:
// invalid_argument.
class xpub_socket : public detail::with_topics<detail::with_subscribers<detail::typed<ZLINK_XPUB>>>,
                    public detail::sends<xpub_socket>,
                    public detail::receives<xpub_socket>
{
  public:
    using with_topics::with_topics;
    // Reads such a message. Nothing: it is one that a subscriber sent for the
    // application.
    [[nodiscard]] static std::optional<subscription> subscription_in (const message &from) noexcept
    {
        const bytes_view bytes = from.bytes ();
        if (bytes.empty () || bytes.front () > std::byte{1})
            return std::nullopt;
        return subscription{bytes.front () == std::byte{1}, bytes.subspan (1)};
    }
};

// A SUB whose subscriptions are messages, and which may send others upstream.
class xsub_socket : public detail::with_publishers<detail::typed<ZLINK_XSUB>>,
                    public detail::sends<xsub_socket>,
                    public detail::receives<xsub_socket>
{
  public:
    using with_publishers::with_publishers;
    // As a SUB's, by a message to every publisher: waits and fails as send() does.
    template <bytes_like T> void subscribe (const T &topic)
    {
        detail::value_of (subscribe (std::nothrow, topic), "zlink::subscribe");
    }
    template <bytes_like T> result<void> subscribe (std::nothrow_t, const T &topic) noexcept
    {
        return tell (std::byte{1}, bytes_of (topic));
    }
    template <bytes_like T> void unsubscribe (const T &topic)
    {
        detail::value_of (unsubscribe (std::nothrow, topic), "zlink::unsubscribe");
    }
    template <bytes_like T> result<void> unsubscribe (std::nothrow_t, const T &topic) noexcept
    {
        return tell (std::byte{0}, bytes_of (topic));
    }

  private:
    result<void> tell (std::byte what, bytes_view topic) noexcept
    {
        return detail::no_throw ([&] () -> result<void> {
            message made (topic.size () + 1);
            made.bytes ()[0] = what;
            if (!topic.empty ())
                std::memcpy (made.bytes ().data () + 1, topic.data (), topic.size ());
            return send (std::nothrow, std::move (made)).error ();
        });
    }
};

// Asks, and takes the reply before it asks again. A send waits for a peer with
// room; out of turn is wrong_state, but REQ_RELAXED lets it ask anew.
class req_socket : public detail::typed<ZLINK_REQ>,
                   public detail::sends<req_socket>,
                   public detail::receives<req_socket>
{
  public:
    using typed::typed;
    // Sends and waits for the reply: up to SNDTIMEO, then up to RCVTIMEO. When only
    // the second fails the request is on its way and its reply still due. Of one
    // socket by one thread at a time: replies go to whoever receives.
    template <bytes_like T> [[nodiscard]] message request (const T &content)
    {
        send (content);
        return receive ();
    }
    template <bytes_like T> [[nodiscard]] result<message> request (std::nothrow_t, const T &content) noexcept
    {
        const result<std::size_t> sent = send (std::nothrow, content);
        return sent ? receive (std::nothrow) : result<message> (sent.error ());
    }
};

// Answers each request before it takes the next. A send never waits: the answer to
// a peer that has gone, or has no room, is dropped and counted; out of turn is
// wrong_state.
class rep_socket : public detail::typed<ZLINK_REP>,
                   public detail::sends<rep_socket>,
                   public detail::receives<rep_socket>
{
  public:
    using typed::typed;
};

// Deals to its peers in turn and takes from them, in any order. A send waits while
// none has room.
class dealer_socket : public detail::typed<ZLINK_DEALER>,
                      public detail::sends<dealer_socket>,
                      public detail::receives<dealer_socket>
{
  public:
    using typed::typed;
};

// Talks to servers, in turn, and takes from them; messages have one part. A send
// waits while none has room.
class client_socket : public detail::typed<ZLINK_CLIENT>,
                      public detail::sends_one<client_socket>,
                      public detail::receives_one<client_socket>
{
  public:
    using typed::typed;
};

// Talks to clients, each of which it knows by a number; messages have one part.
class server_socket : public detail::typed<ZLINK_SERVER>,
                      public detail::sends_by_number<server_socket>,
                      public detail::receives_one<server_socket>
{
  public:
    using typed::typed;
};

// As a server_socket, but among its like.
class peer_socket : public detail::typed<ZLINK_PEER>,
                    public detail::sends_by_number<peer_socket>,
                    public detail::receives_one<peer_socket>
{
  public:
    using typed::typed;
    // As connect(), and tells the other's number: it may be sent to at once.
    // failure: as connect(), and std::errc::bad_address: with IMMEDIATE.
    [[nodiscard]] std::uint32_t connect_peer (const std::string &endpoint)
    {
        return detail::value_of (connect_peer (std::nothrow, endpoint), "zlink::connect_peer");
    }
    [[nodiscard]] result<std::uint32_t> connect_peer (std::nothrow_t, const std::string &endpoint) noexcept
    {
        const std::uint32_t number = zlink_connect_peer (handle (), endpoint.c_str ());
        return number != 0 ? result<std::uint32_t> (number) : result<std::uint32_t> (last_error ());
    }
};

// Sends each message, of one part, to those who have joined its group, which is
// matched as a whole. A send never waits: who has no room loses the message, which
// is counted (XPUB_NODROP: it waits).
class radio_socket : public detail::with_subscribers<detail::typed<ZLINK_RADIO>>
{
  public:
    using with_subscribers::with_subscribers;
    // A copy of the bytes. failure: invalid_argument: the group is longer than 255
    // octets; would_block, interrupted: with XPUB_NODROP.
    template <bytes_like T> void send_to_group (const std::string &group, const T &content)
    {
        detail::value_of (send_to_group (std::nothrow, group, content), "zlink::send_to_group");
    }
    template <bytes_like T>
    result<void> send_to_group (std::nothrow_t, const std::string &group, const T &content) noexcept
    {
        return detail::no_throw ([&] { return send_to_group (std::nothrow, group, message (content)); });
    }
    // The message itself; when that fails its bytes are unchanged.
    void send_to_group (const std::string &group, message &&content)
    {
        detail::value_of (send_to_group (std::nothrow, group, std::move (content)), "zlink::send_to_group");
    }
    result<void> send_to_group (std::nothrow_t, const std::string &group, message &&content) noexcept
    {
        if (zlink_msg_set_group (content.raw (), group.c_str ()) != 0)
            return last_error ();
        return detail::outcome (zlink_msg_send (content.raw (), handle (), 0) < 0 ? -1 : 0);
    }
};

// Receives what is sent to a group that it has joined, from each radio in turn;
// message::group() tells which.
class dish_socket : public detail::with_publishers<detail::typed<ZLINK_DISH>>,
                    public detail::receives_one<dish_socket>
{
  public:
    using with_publishers::with_publishers;
    // failure: invalid_argument: it has joined already, or has not; too long.
    void join (const std::string &group) { detail::value_of (join (std::nothrow, group), "zlink::join"); }
    result<void> join (std::nothrow_t, const std::string &group) noexcept
    {
        return detail::outcome (zlink_join (handle (), group.c_str ()));
    }
    void leave (const std::string &group) { detail::value_of (leave (std::nothrow, group), "zlink::leave"); }
    result<void> leave (std::nothrow_t, const std::string &group) noexcept
    {
        return detail::outcome (zlink_leave (handle (), group.c_str ()));
    }
};

// Deals messages of one part to its peers in turn. A send waits while none has
// room.
class scatter_socket : public detail::typed<ZLINK_SCATTER>, public detail::sends_one<scatter_socket>
{
  public:
    using typed::typed;
};

// Takes one message from each peer in turn; never sends.
class gather_socket : public detail::typed<ZLINK_GATHER>, public detail::receives_one<gather_socket>
{
  public:
    using typed::typed;
};

// A pair_socket whose messages have one part.
class channel_socket : public detail::typed<ZLINK_CHANNEL>,
                       public detail::sends_one<channel_socket>,
                       public detail::receives_one<channel_socket>
{
  public:
    using typed::typed;
};

// A datagram together with whom it is from; owns both.
struct datagram
{
    message peer;  // as the C interface tells it: with a NUL at the end
    message body;

    // "host:port", where an answer goes. As long as peer is not changed.
    [[nodiscard]] std::string_view address () const noexcept
    {
        const std::string_view all = peer.text ();
        return all.substr (0, all.find ('\0'));
    }
};

// Datagrams by udp, as they are, between sockets that are bound. A send never
// waits: what cannot go out is dropped and counted, and nobody tells whether the
// rest came.
class dgram_socket : public detail::typed<ZLINK_DGRAM>
{
  public:
    using typed::typed;
    // A copy of the body to "host:port", in numbers.
    template <bytes_like T> void send_to (std::string_view address, const T &body)
    {
        detail::value_of (send_to (std::nothrow, address, body), "zlink::send_to");
    }
    template <bytes_like T>
    result<void> send_to (std::nothrow_t, std::string_view address, const T &body) noexcept
    {
        return detail::no_throw ([&] {
            std::array<message, 2> parts{message (address), message (body)};
            return detail::outcome (zlink_sendv (handle (), parts.data ()->raw (), parts.size (), 0));
        });
    }
    // The next one, from whomever. try_receive_from does not wait. Nothing: there
    // is none now.
    [[nodiscard]] datagram receive_from ()
    {
        return detail::value_of (receive_from (std::nothrow), "zlink::receive_from");
    }
    [[nodiscard]] result<datagram> receive_from (std::nothrow_t) noexcept
    {
        return detail::no_throw ([&] { return receive_with (0); });
    }
    [[nodiscard]] std::optional<datagram> try_receive_from ()
    {
        return detail::value_of (try_receive_from (std::nothrow), "zlink::try_receive_from");
    }
    [[nodiscard]] result<std::optional<datagram>> try_receive_from (std::nothrow_t) noexcept
    {
        return detail::unless_waiting (detail::no_throw ([&] { return receive_with (ZLINK_DONTWAIT); }));
    }

  private:
    result<datagram> receive_with (int flags)
    {
        return detail::whole_message (handle (), flags, [] (std::span<message> parts) -> result<datagram> {
            if (parts.size () != 2)
                return make_error_code (errc::message_too_long);
            return datagram{std::move (parts[0]), std::move (parts[1])};
        });
    }
};

// A message together with the peer that it came from; owns both.
struct routed_message
{
    message peer;  // its routing id
    std::vector<message> parts;
};

// Knows its peers by name: the first part of every message. A send never waits;
// what has nowhere to go is dropped and counted. With ROUTER_MANDATORY it waits
// for room, and for nobody to send to is no_such_peer.
class router_socket : public detail::typed<ZLINK_ROUTER>,
                      public detail::sends<router_socket>,
                      public detail::receives<router_socket>
{
  public:
    using typed::typed;
    // Copies, as one message to that peer. failure: no_such_peer, with
    // ROUTER_MANDATORY.
    template <bytes_like Id, bytes_like... Parts>
    requires (sizeof...(Parts) > 0) void send_to (const Id &peer, const Parts &...contents)
    {
        send_parts (peer, contents...);
    }
    template <bytes_like Id, bytes_like... Parts>
    requires (sizeof...(Parts)
              > 0) result<void> send_to (std::nothrow_t, const Id &peer, const Parts &...contents)
    noexcept { return send_parts (std::nothrow, peer, contents...); }
    // The parts themselves: empty afterwards; when that fails, unchanged. The
    // peer's name stays the caller's.
    void send_to (const message &peer, std::span<message> parts)
    {
        detail::value_of (send_in_front_of (peer, parts), "zlink::send_to");
    }
    result<void> send_to (std::nothrow_t, const message &peer, std::span<message> parts) noexcept
    {
        return detail::no_throw ([&] { return send_in_front_of (peer, parts); });
    }
    // The next message, of whichever peer's turn it is.
    [[nodiscard]] routed_message receive_from () { return from (receive_parts ()); }
    [[nodiscard]] result<routed_message> receive_from (std::nothrow_t) noexcept
    {
        result<std::vector<message>> all = receive_parts (std::nothrow);
        return all ? result<routed_message> (from (*std::move (all))) : result<routed_message> (all.error ());
    }
    // The same without waiting. Nothing: there is none now.
    [[nodiscard]] std::optional<routed_message> try_receive_from ()
    {
        return detail::value_of (try_receive_from (std::nothrow), "zlink::try_receive_from");
    }
    [[nodiscard]] result<std::optional<routed_message>> try_receive_from (std::nothrow_t) noexcept
    {
        result<std::optional<std::vector<message>>> all = try_receive_parts (std::nothrow);
        if (!all)
            return all.error ();
        return *all ? std::optional<routed_message> (from (std::move (**all))) : std::nullopt;
    }

  private:
    result<void> send_in_front_of (const message &peer, std::span<message> parts)
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
        return sent;
    }
    // A ROUTER's message has a name in front.
    static routed_message from (std::vector<message> all) noexcept
    {
        routed_message found;
        found.peer = std::move (all.front ());
        all.erase (all.begin ());
        found.parts = std::move (all);
        return found;
    }
};

// What a stream_socket hears of a peer: its bytes, and that it came or went, which
// stand in order with the bytes.
enum class stream_news
{
    data,
    came,
    went,
};
// Owns both messages; of news that are no data the body says nothing more.
struct streamed
{
    message peer;  // its name
    message body;
    stream_news what = stream_news::data;
};

// Speaks to plain byte streams: packets with their length (4 octets, big endian)
// in front, or with STREAM_RAW bytes as they come. Each peer stays what
// STREAM_RAW said when it came. A send waits while that peer has no room.
class stream_socket : public detail::typed<ZLINK_STREAM>
{
  public:
    using typed::typed;
    // A copy of the body: a packet, or bytes. failure: no_such_peer: it has gone,
    // or is not there yet again; message_too_long: of a packet, from 4 GiB on.
    template <bytes_like T> void send_to (const message &peer, const T &body)
    {
        detail::value_of (send_with (peer, body), "zlink::send_to");
    }
    template <bytes_like T> result<void> send_to (std::nothrow_t, const message &peer, const T &body) noexcept
    {
        return detail::no_throw ([&] { return send_with (peer, body); });
    }
    // Ends that peer behind what was sent to it before; what it still says is not
    // read, and nothing tells that it went. One that came before STREAM_RAW was
    // changed is ended by sending it its own word: nothing to a raw one, a packet
    // of a single zero to another. failure: no_such_peer.
    void disconnect_peer (const message &peer)
    {
        detail::value_of (disconnect_peer (std::nothrow, peer), "zlink::disconnect_peer");
    }
    result<void> disconnect_peer (std::nothrow_t, const message &peer) noexcept
    {
        const result<bool> raw = get (std::nothrow, options::stream_raw);
        return raw ? send_to (std::nothrow, peer, std::string_view ("\0", *raw ? 0 : 1)) : raw.error ();
    }
    // The next news, of whichever peer's turn it is. try_receive_from does not
    // wait. Nothing: there are none now.
    [[nodiscard]] streamed receive_from ()
    {
        return detail::value_of (receive_with (0), "zlink::receive_from");
    }
    [[nodiscard]] result<streamed> receive_from (std::nothrow_t) noexcept
    {
        return detail::no_throw ([&] { return receive_with (0); });
    }
    [[nodiscard]] std::optional<streamed> try_receive_from ()
    {
        return detail::value_of (detail::unless_waiting (receive_with (ZLINK_DONTWAIT)),
                                 "zlink::try_receive_from");
    }
    [[nodiscard]] result<std::optional<streamed>> try_receive_from (std::nothrow_t) noexcept
    {
        return detail::unless_waiting (detail::no_throw ([&] { return receive_with (ZLINK_DONTWAIT); }));
    }

  private:
    template <bytes_like T> result<void> send_with (const message &peer, const T &body)
    {
        std::array<message, 2> parts{peer.share (), message (body)};
        return detail::outcome (zlink_sendv (handle (), parts.data ()->raw (), parts.size (), 0));
    }
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
