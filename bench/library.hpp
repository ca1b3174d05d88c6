// A messaging library behind libzmq's calls, loaded by path at run time: the
// system's libzmq, our libzmq.so.5, or our libzlink.so, whose calls have the
// same shape under another prefix.
//
// One library per process: two that export the same names must not meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::bench {

enum class abi
{
    zmq,    // zmq_send ...
    zlink,  // zlink_send ...
};

// Storage of a zmq_msg_t or zlink_msg_t.
struct message_storage
{
    alignas (8) unsigned char bytes[64];
};

// What is waited for: the shape of zmq_pollitem_t and zlink_pollitem_t.
struct poll_item
{
    void *socket;
    int descriptor;
    short events;
    short found;
};

struct library
{
    // Answers why it failed, or an empty string.
    [[nodiscard]] std::string load (const std::string &path, abi by);

    // Null: it has no such function. The name is whole.
    [[nodiscard]] void *find (const char *name) const noexcept;

    void *object = nullptr;  // as the system knows it
    std::string path;        // of the object that was loaded
    std::string version;     // as the library tells it
    abi names = abi::zmq;

    void *(*ctx_new) () = nullptr;
    int (*ctx_set) (void *context, int option, int value) = nullptr;
    int (*ctx_term) (void *context) = nullptr;
    void *(*socket) (void *context, int type) = nullptr;
    int (*close) (void *socket) = nullptr;
    int (*bind) (void *socket, const char *endpoint) = nullptr;
    int (*connect) (void *socket, const char *endpoint) = nullptr;
    int (*setsockopt) (void *socket, int option, const void *value, std::size_t size) = nullptr;
    int (*getsockopt) (void *socket, int option, void *value, std::size_t *size) = nullptr;
    int (*send) (void *socket, const void *body, std::size_t size, int flags) = nullptr;
    int (*recv) (void *socket, void *body, std::size_t size, int flags) = nullptr;
    int (*msg_init) (message_storage *message) = nullptr;
    int (*msg_init_size) (message_storage *message, std::size_t size) = nullptr;
    void *(*msg_data) (message_storage *message) = nullptr;
    std::size_t (*msg_size) (const message_storage *message) = nullptr;
    int (*msg_send) (message_storage *message, void *socket, int flags) = nullptr;
    int (*msg_recv) (message_storage *message, void *socket, int flags) = nullptr;
    int (*msg_close) (message_storage *message) = nullptr;
    // Null where the library has no batch calls.
    int (*send_packed) (void *socket,
                        const void *bytes,
                        std::size_t bytes_size,
                        const std::uint32_t *sizes,
                        std::size_t count,
                        int flags) = nullptr;
    int (*recv_packed) (void *socket,
                        void *buffer,
                        std::size_t buffer_size,
                        std::uint32_t *sizes,
                        std::size_t count,
                        int flags) = nullptr;
    // Of drafts, and of CURVE: null where the library has none.
    int (*join) (void *socket, const char *group) = nullptr;
    int (*msg_set_group) (message_storage *message, const char *group) = nullptr;
    std::uint32_t (*msg_routing_id) (message_storage *message) = nullptr;
    int (*msg_set_routing_id) (message_storage *message, std::uint32_t id) = nullptr;
    int (*curve_keypair) (char *open, char *secret) = nullptr;
    int (*disconnect) (void *socket, const char *endpoint) = nullptr;
    // These two are null where the library has none; poll_item has the shape of both headers.
    int (*poll) (poll_item *items, int count, long timeout_ms) = nullptr;
    int (*proxy_steerable) (void *frontend, void *backend, void *capture, void *control) = nullptr;
    int (*error_number) () = nullptr;
    const char *(*error_text) (int number) = nullptr;
    void (*get_version) (int *major, int *minor, int *patch) = nullptr;
};

// Numbers that both headers share.
namespace number {
inline constexpr int pair = 0;
inline constexpr int pub = 1;
inline constexpr int sub = 2;
inline constexpr int req = 3;
inline constexpr int rep = 4;
inline constexpr int dealer = 5;
inline constexpr int router = 6;
inline constexpr int pull = 7;
inline constexpr int push = 8;
inline constexpr int xpub = 9;
inline constexpr int xsub = 10;
inline constexpr int stream = 11;
inline constexpr int server = 12;  // from here on drafts
inline constexpr int client = 13;
inline constexpr int radio = 14;
inline constexpr int dish = 15;

inline constexpr int io_threads = 1;
inline constexpr int subscribe = 6;
inline constexpr int kernel_send = 11;
inline constexpr int kernel_receive = 12;
inline constexpr int fd = 14;
inline constexpr int events = 15;
inline constexpr int last_endpoint = 32;
inline constexpr int type = 16;
inline constexpr int linger = 17;
inline constexpr int receive_timeout = 27;
inline constexpr int router_mandatory = 33;
inline constexpr int curve_server = 47;
inline constexpr int curve_public_key = 48;
inline constexpr int curve_secret_key = 49;
inline constexpr int curve_server_key = 50;
inline constexpr int probe_router = 51;
inline constexpr int connect_routing_id = 61;
inline constexpr int xpub_no_drop = 69;
inline constexpr int poll_in = 1;
inline constexpr int dont_wait = 1;
inline constexpr int send_more = 2;
inline constexpr int backlog = 19;
inline constexpr int send_hwm = 23;
inline constexpr int receive_hwm = 24;
// zmq.h's for wss, which ours have for tls, too.
inline constexpr int key = 103;
inline constexpr int certificate = 104;
inline constexpr int trusted = 105;
// New in ours, the same in both headers: marks in bytes, 0 = off.
inline constexpr int send_hwm_bytes = 3001;
inline constexpr int receive_hwm_bytes = 3002;
// New in ours, the same in both headers: 0 turns the adaptive spin off.
inline constexpr int spin = 3003;
// New in ours, the same in both headers: 1 makes STREAM carry bytes as they are.
inline constexpr int stream_raw = 3004;
// Not shared: of zmq.h, and of zlink.h. libzmq's releases have none.
inline constexpr int batch_in[] = {101, 1101};
inline constexpr int batch_out[] = {102, 1102};
}  // namespace number

}  // namespace zlink::bench
