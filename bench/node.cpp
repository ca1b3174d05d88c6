#include "bench/node.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "bench/cipher.hpp"
#include "bench/os.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

void need (const library &calls, int answer, std::string_view what)
{
    if (answer >= 0)
        return;
    const int number = calls.error_number ();
    fail (std::string (what) + ": " + calls.error_text (number) + " (" + std::to_string (number) + ")");
}

namespace {

bool has_certificates (const cell &measured)
{
    return measured.transport == "tls" || measured.transport == "wss";
}

}  // namespace

void make_certificate (const cell &measured)
{
    if (has_certificates (measured))
        (void)own_certificate ();
}

void give_certificate (const library &calls, void *socket, const cell &measured)
{
    if (!has_certificates (measured))
        return;
    const certificate &ours = own_certificate ();
    const auto say = [&] (int option, const std::string &text) {
        need (calls, calls.setsockopt (socket, option, text.data (), text.size ()), "a certificate");
    };
    say (number::certificate, ours.text);
    say (number::key, ours.key);
    say (number::trusted, ours.text);
}

namespace {

struct key_texts
{
    std::array<char, 41> open{};
    std::array<char, 41> secret{};
};
key_texts server_keys;
key_texts client_keys;

}  // namespace

void make_keys (const library &calls, const cell &measured)
{
    if (!measured.with.curve)
        return;
    for (key_texts *each : {&server_keys, &client_keys})
        if (calls.curve_keypair == nullptr
            || calls.curve_keypair (each->open.data (), each->secret.data ()) != 0)
            lack ("no CURVE");
}

void give_keys (const library &calls, void *socket, const cell &measured, curve_role as)
{
    if (!measured.with.curve)
        return;
    const auto say = [&] (int option, const std::array<char, 41> &key) {
        need (calls, calls.setsockopt (socket, option, key.data (), key.size () - 1), "a key");
    };
    if (as == curve_role::server) {
        const int on = 1;
        need (calls, calls.setsockopt (socket, number::curve_server, &on, sizeof on), "CURVE_SERVER");
        say (number::curve_secret_key, server_keys.secret);
        return;
    }
    say (number::curve_server_key, server_keys.open);
    say (number::curve_public_key, client_keys.open);
    say (number::curve_secret_key, client_keys.secret);
}

void *make_socket (const library &calls, void *context, int type)
{
    void *const socket = calls.socket (context, type);
    if (socket == nullptr && type >= number::server && calls.error_number () == EINVAL)
        lack ("a library without such sockets");
    if (socket == nullptr)
        need (calls, -1, "socket");
    return socket;
}

library_context::library_context (const library &calls, const cell &measured)
  : calls_ (calls), handle_ (calls.ctx_new ())
{
    if (handle_ == nullptr)
        fail ("ctx_new failed");
    const int io_threads = measured.with.io_threads ();
    if (io_threads != 0 || measured.with.zmq_marks)
        need (calls, calls.ctx_set (handle_, number::io_threads, io_threads != 0 ? io_threads : 1),
              "ctx_set");
}

library_context::~library_context ()
{
    watchdog::stage ("terminating the context");
    calls_.ctx_term (handle_);
}

node::node (
  const library &calls, void *context, const cell &measured, shared_state *state, std::string directory)
  : calls_ (calls), context_ (context), measured_ (measured), state_ (state),
    directory_ (std::move (directory))
{
}

node::~node ()
{
    for (void *socket : sockets_)
        calls_.close (socket);
}

namespace {

// Libraries without marks in bytes refuse those, and need not have them.
void set_zmq_marks (const library &calls, void *socket)
{
    const int messages = 1000;
    const std::int64_t off = 0;
    need (calls, calls.setsockopt (socket, number::send_hwm, &messages, sizeof messages), "SNDHWM");
    need (calls, calls.setsockopt (socket, number::receive_hwm, &messages, sizeof messages), "RCVHWM");
    (void)calls.setsockopt (socket, number::send_hwm_bytes, &off, sizeof off);
    (void)calls.setsockopt (socket, number::receive_hwm_bytes, &off, sizeof off);
}

}  // namespace

void *node::make (int type)
{
    void *socket = make_socket (calls_, context_, type);
    sockets_.push_back (socket);
    if (measured_.with.zmq_marks)
        set_zmq_marks (calls_, socket);
    if (const int bytes = measured_.with.kernel_bytes (); bytes != 0) {
        need (calls_, calls_.setsockopt (socket, number::kernel_send, &bytes, sizeof bytes), "SNDBUF");
        need (calls_, calls_.setsockopt (socket, number::kernel_receive, &bytes, sizeof bytes), "RCVBUF");
    }
    if (const int bytes = measured_.with.batch_bytes (); bytes != 0) {
        const std::size_t by = calls_.names == abi::zlink ? 1 : 0;
        need (calls_, calls_.setsockopt (socket, number::batch_in[by], &bytes, sizeof bytes),
              "IN_BATCH_SIZE");
        need (calls_, calls_.setsockopt (socket, number::batch_out[by], &bytes, sizeof bytes),
              "OUT_BATCH_SIZE");
    }
    if (measured_.with.no_spin) {
        const int off = 0;
        if (calls_.setsockopt (socket, number::spin, &off, sizeof off) != 0)
            spin_option_taken_ = false;
    }
    give_certificate (calls_, socket, measured_);
    const int on = 1;
    if ((type == number::pub || type == number::radio) && !measured_.with.drop)
        need (calls_, calls_.setsockopt (socket, number::xpub_no_drop, &on, sizeof on), "XPUB_NODROP");
    // Raw is the default of one header and libzmq knows nothing else.
    if (type == number::stream)
        (void)calls_.setsockopt (socket, number::stream_raw, &on, sizeof on);
    if (type == number::sub)
        need (calls_, calls_.setsockopt (socket, number::subscribe, "", 0), "SUBSCRIBE");
    if (type == number::dish)
        need (calls_, calls_.join (socket, group_name), "join");
    return socket;
}

void *node::bind (int type, unsigned slot)
{
    void *socket = make (type);
    give_keys (calls_, socket, measured_, curve_role::server);
    std::string wanted;
    if (measured_.transport == "ipc")
        wanted = "ipc://" + directory_ + "/s" + std::to_string (slot);
    else if (measured_.transport == "inproc")
        wanted = "inproc://bench-" + std::to_string (slot);
    else
        wanted = measured_.transport + "://127.0.0.1:*";
    if (measured_.measured == metric::idle) {
        const int waiting = 4096;  // that come at once
        need (calls_, calls_.setsockopt (socket, number::backlog, &waiting, sizeof waiting), "BACKLOG");
    }
    need (calls_, calls_.bind (socket, wanted.c_str ()), "bind");
    std::size_t size = sizeof state_->endpoints[slot];
    need (calls_, calls_.getsockopt (socket, number::last_endpoint, state_->endpoints[slot], &size),
          "LAST_ENDPOINT");
    state_->endpoints_ready.fetch_or (1u << slot, std::memory_order_release);
    return socket;
}

void *node::connect (int type, unsigned slot)
{
    void *socket = make (type);
    give_keys (calls_, socket, measured_, curve_role::client);
    if (type == number::router) {
        // It can send at once, and waits for room instead of dropping.
        const int on = 1;
        need (calls_, calls_.setsockopt (socket, number::router_mandatory, &on, sizeof on),
              "ROUTER_MANDATORY");
        need (calls_,
              calls_.setsockopt (socket, number::connect_routing_id, bound_name.data (), bound_name.size ()),
              "CONNECT_ROUTING_ID");
    }
    wait_for_endpoint (state_, slot);
    need (calls_, calls_.connect (socket, state_->endpoints[slot]), "connect");
    return socket;
}

}  // namespace zlink::bench
