// A library that behaves like the system's libzmq but for one fault: what the
// benchmark's own tests measure to show that they notice. It exports just the
// calls that the benchmark makes and passes them on.
//
// Built once per fault; STAND_IN_FAULT and STAND_IN_LIBRARY come from the
// build.
#include <chrono>
#include <cstddef>
#include <cstring>
#include <vector>

#include <dlfcn.h>

namespace {

enum class fault
{
    none,
    slow,      // at least a fifth more time per message
    skip,      // hands out the ends of a body, not its middle
    drop,      // loses a message now and then
    shortcut,  // binds inproc where tcp was asked for
};

constexpr fault chosen = fault::STAND_IN_FAULT;

template <class F> F *real (const char *name)
{
    static void *const object = dlopen (STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<F *> (dlsym (object, name));
}

using clock_type = std::chrono::steady_clock;

// Spends a quarter of the time that has passed since the last call.
void dawdle ()
{
    static thread_local clock_type::time_point left = clock_type::now ();
    const clock_type::time_point entered = clock_type::now ();
    const clock_type::duration extra = (entered - left) / 4;
    while (clock_type::now () - entered < extra) {}
    left = clock_type::now ();
}

int receive_ends (void *socket, std::byte *body, std::size_t size, int flags)
{
    static auto *const next = real<int (void *, void *, std::size_t, int)> ("zmq_recv");
    static thread_local std::vector<std::byte> scratch;
    scratch.resize (size);
    const int got = next (socket, scratch.data (), size, flags);
    constexpr int end_bytes = 16;
    if (got < 2 * end_bytes)
        return got;
    std::memcpy (body, scratch.data (), end_bytes);
    std::memcpy (body + got - end_bytes, scratch.data () + got - end_bytes, end_bytes);
    return got;
}

bool lose_this_one ()
{
    constexpr unsigned every = 1000;
    static thread_local unsigned sent = 0;
    return ++sent % every == 0;
}

}  // namespace

#define ZLINK_EXPORT extern "C" __attribute__ ((visibility ("default")))

ZLINK_EXPORT int zmq_send (void *socket, const void *body, std::size_t size, int flags)
{
    static auto *const next = real<int (void *, const void *, std::size_t, int)> ("zmq_send");
    if (chosen == fault::drop && lose_this_one ())
        return static_cast<int> (size);
    return next (socket, body, size, flags);
}

ZLINK_EXPORT int zmq_recv (void *socket, void *body, std::size_t size, int flags)
{
    static auto *const next = real<int (void *, void *, std::size_t, int)> ("zmq_recv");
    if (chosen == fault::skip)
        return receive_ends (socket, static_cast<std::byte *> (body), size, flags);
    const int got = next (socket, body, size, flags);
    if (chosen == fault::slow)
        dawdle ();
    return got;
}

ZLINK_EXPORT void *zmq_ctx_new () { return real<void *()> ("zmq_ctx_new") (); }

ZLINK_EXPORT int zmq_ctx_set (void *context, int option, int value)
{
    return real<int (void *, int, int)> ("zmq_ctx_set") (context, option, value);
}

ZLINK_EXPORT int zmq_ctx_term (void *context) { return real<int (void *)> ("zmq_ctx_term") (context); }

ZLINK_EXPORT void *zmq_socket (void *context, int type)
{
    return real<void *(void *, int)> ("zmq_socket") (context, type);
}

ZLINK_EXPORT int zmq_close (void *socket) { return real<int (void *)> ("zmq_close") (socket); }

ZLINK_EXPORT int zmq_bind (void *socket, const char *endpoint)
{
    const char *taken = chosen == fault::shortcut ? "inproc://shortcut" : endpoint;
    return real<int (void *, const char *)> ("zmq_bind") (socket, taken);
}

ZLINK_EXPORT int zmq_connect (void *socket, const char *endpoint)
{
    return real<int (void *, const char *)> ("zmq_connect") (socket, endpoint);
}

ZLINK_EXPORT int zmq_setsockopt (void *socket, int option, const void *value, std::size_t size)
{
    return real<int (void *, int, const void *, std::size_t)> ("zmq_setsockopt") (socket, option, value,
                                                                                  size);
}

ZLINK_EXPORT int zmq_getsockopt (void *socket, int option, void *value, std::size_t *size)
{
    return real<int (void *, int, void *, std::size_t *)> ("zmq_getsockopt") (socket, option, value, size);
}

ZLINK_EXPORT int zmq_msg_init (void *message) { return real<int (void *)> ("zmq_msg_init") (message); }

ZLINK_EXPORT int zmq_msg_init_size (void *message, std::size_t size)
{
    return real<int (void *, std::size_t)> ("zmq_msg_init_size") (message, size);
}

ZLINK_EXPORT void *zmq_msg_data (void *message) { return real<void *(void *)> ("zmq_msg_data") (message); }

ZLINK_EXPORT std::size_t zmq_msg_size (const void *message)
{
    return real<std::size_t (const void *)> ("zmq_msg_size") (message);
}

ZLINK_EXPORT int zmq_msg_send (void *message, void *socket, int flags)
{
    return real<int (void *, void *, int)> ("zmq_msg_send") (message, socket, flags);
}

ZLINK_EXPORT int zmq_msg_recv (void *message, void *socket, int flags)
{
    return real<int (void *, void *, int)> ("zmq_msg_recv") (message, socket, flags);
}

ZLINK_EXPORT int zmq_msg_close (void *message) { return real<int (void *)> ("zmq_msg_close") (message); }

ZLINK_EXPORT int zmq_errno () { return real<int ()> ("zmq_errno") (); }

ZLINK_EXPORT const char *zmq_strerror (int number)
{
    return real<const char *(int)> ("zmq_strerror") (number);
}

ZLINK_EXPORT void zmq_version (int *major, int *minor, int *patch)
{
    real<void (int *, int *, int *)> ("zmq_version") (major, minor, patch);
}
