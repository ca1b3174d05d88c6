// Options of sockets and contexts: one table of rows, from which setting,
// getting, the documentation and `zlink explain` work. A row names the
// option's number in each public header; a socket's options are read and
// written by the numbers of the header it was made through.
//
// Thread rule: the tables are constant; an options struct belongs to whoever
// guards it (the socket's or the context's lock). Nothing here blocks.
// Source of numbers, ranges and defaults: the two public headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/stream.hpp"
#include "engine/limits.hpp"
#include "engine/properties.hpp"
#include "engine/settings.hpp"

namespace zlink::socket {

// The public header that a context, and so its sockets, was made through.
enum class header : std::uint8_t
{
    zmq,
    zlink,
};

// Socket types, numbered as both headers do.
enum class socket_type : std::uint8_t
{
    pair = 0,
    pub = 1,
    sub = 2,
    req = 3,
    rep = 4,
    dealer = 5,
    router = 6,
    pull = 7,
    push = 8,
    xpub = 9,
    xsub = 10,
    stream = 11,
    server = 12,
    client = 13,
    radio = 14,
    dish = 15,
    gather = 16,
    scatter = 17,
    dgram = 18,
    peer = 19,
    channel = 20,
};
inline constexpr int socket_type_count = 21;

// Numbers, the same in both headers, of what is set in here, too.
inline constexpr int number_of_linger = 17;
inline constexpr int number_of_send_hwm = 23;
inline constexpr int number_of_receive_hwm = 24;

// Name and value of what the handshake says besides.
using option_properties = engine::property_list;

// The value of every option that is a plain value. Times of -1 mean no limit
// unless said otherwise. What each field means to the user is said in its row.
struct socket_options
{
    header made_by = header::zmq;  // zlink: names are resolved to both families on connect

    std::uint64_t affinity = 0;  // bit i: the context's I/O thread i may serve this socket; 0 = any
    std::string routing_id;      // empty = none set

    int send_hwm = 1000;  // messages, 0 = no limit
    int receive_hwm = 1000;
    std::int64_t send_hwm_bytes = 0;  // 0 = off
    std::int64_t receive_hwm_bytes = 0;
    std::int64_t max_message_bytes = -1;  // negative = no limit

    int linger_ms = -1;
    int send_timeout_ms = -1;
    int receive_timeout_ms = -1;
    int handshake_ms = 30'000;   // 0 = no limit
    int connect_timeout_ms = 0;  // 0 = the system's

    int reconnect_ms = 100;    // -1 = never reconnect
    int reconnect_max_ms = 0;  // 0 = no growth

    int heartbeat_interval_ms = 0;  // 0 = off
    int heartbeat_ttl_ms = 0;       // a multiple of 100
    int heartbeat_timeout_ms = -1;  // -1 = the interval

    int in_batch_bytes = 8192;   // 8192 = our own slab size, else a cap on it
    int out_batch_bytes = 8192;  // likewise for the arena

    bool immediate = false;
    bool conflate = false;
    bool adaptive_spin = true;

    // Patterns.
    bool router_mandatory = false;
    bool router_handover = false;
    int router_notify = 0;  // 1: who comes, 2: who goes, 4: what comes back
    bool router_raw = false;
    bool stream_notify = true;
    bool stream_raw = true;
    bool probe_router = false;
    bool req_correlate = false;
    bool req_relaxed = false;
    bool xpub_verbose = false;
    bool xpub_verboser = false;
    bool xpub_no_drop = false;
    int slow_consumer = 0;  // see the row
    bool report_gaps = false;
    bool xsub_verbose_unsubscribe = false;
    bool only_first_subscribe = false;
    int topics_max = engine::topics_per_peer_default;                     // 0 = no limit
    std::int64_t topic_bytes_max = engine::topic_bytes_per_peer_default;  // 0 = no limit
    int last_values = 0;                                                  // topics, 0 = none
    std::int64_t last_value_bytes = engine::last_value_bytes_default;
    bool invert_matching = false;
    std::string welcome;  // XPUB: for every new subscriber; empty = none
    bool xpub_manual = false;
    bool xpub_manual_last_value = false;
    std::string hello;           // first to every new peer; empty = none
    std::string disconnect_msg;  // read when a peer goes; empty = none
    std::string hiccup_msg;      // read when a connection is interrupted; empty = none
    int reconnect_stop = 0;      // bits, see the row
    option_properties properties;
    std::string connect_routing_id;  // of the next connection; empty = none set

    engine::security secured;

    // Kept for their readers only: nothing here acts on them.
    int multicast_rate_kbit_s = 100;
    int multicast_recovery_ms = 10'000;
    int multicast_datagram_bytes = 1500;
    bool loopback_fast_path = false;
    int request_timeout_ms = 5000;
    bool request_correlate = true;
    bool zmp_metadata = false;

    base::stream_options stream;  // ipv6 stands in here
};

// A context's options.
struct context_options
{
    header made_by = header::zmq;
    int io_threads = 1;
    int max_sockets = 1023;
    int max_message_bytes = INT32_MAX;
    int budget_kib = 0;  // 0 = no limit
    int thread_priority = -1;
    int thread_policy = -1;
    std::vector<int> thread_cpus;    // sorted; empty = any
    std::string thread_name_prefix;  // at most 16 bytes
    bool ipv6 = false;               // of new sockets
    bool blocky = true;              // false: new sockets have LINGER 0
    bool zero_copy_receive = true;
};

enum class option_type : std::uint8_t
{
    integer,  // int
    boolean,  // int, 0 or 1
    int64,
    uint64,
    string,  // read with its terminating NUL
    binary,
    handle,  // int: a descriptor
};

// When a changed value is looked at.
enum class takes_effect : std::uint8_t
{
    at_once,
    next_attach,  // by the following bind or connect
    never,        // read-only, or kept for compatibility only
};

enum class option_access : std::uint8_t
{
    read = 1,
    write = 2,
    read_write = 3,
};

// The part of the library that an option belongs to. Options of parts that
// are not built answer invalid_argument, as if the number were unknown.
enum class option_part : std::uint8_t
{
    core,
    plain,
    curve,
    zap,
    gssapi,
    tls,
    websocket,
    norm,
    vmci,
};
[[nodiscard]] bool is_built (option_part part) noexcept;
[[nodiscard]] const char *part_name (option_part part) noexcept;

// Values that live in the socket and not in socket_options.
enum class live_value : std::uint8_t
{
    type,
    thread_safe,
    mechanism,
    receive_more,
    descriptor,
    events,
    last_endpoint,
    topics,  // how many there are
};

// What secures connections: setting one chooses the mechanism, too.
enum class security_value : std::uint8_t
{
    plain_server,
    plain_username,
    plain_password,
    curve_server,
    curve_public_key,
    curve_secret_key,
    curve_server_key,
    domain,
    enforce_domain,
    requires_policy,
    tls_certificate,
    tls_key,
    tls_authority,
    tls_sole_authority,  // the system's are not trusted then, if nothing is said of them
    tls_verify,
    tls_require_client_certificate,
    tls_host,
    tls_trust_system,
    tls_passphrase,
    tls_protocols,
    web_host,
    web_origin,
    web_origins,
    web_header,
};

// Rows whose value is done at once instead of kept.
enum class option_action : std::uint8_t
{
    subscribe,
    unsubscribe,
    subscribe_pattern,
    unsubscribe_pattern,
    allow_keys,
    allow_passwords,
};

// What get_option asks the socket for live rows.
class live_values
{
  public:
    virtual bool receive_more () = 0;
    virtual base::result<int> descriptor () = 0;
    virtual base::result<unsigned> events () = 0;
    virtual std::string last_endpoint () = 0;
    virtual base::result<int> topics () = 0;

  protected:
    ~live_values () = default;
};

// A set of socket types, bit i = type i.
using type_set = std::uint32_t;
inline constexpr type_set all_types = (1U << socket_type_count) - 1;

// Where the value is: in a field of the socket's options, of their stream or of
// its filters, or live, or (monostate) nowhere yet.
using option_field = std::variant<std::monostate,
                                  int socket_options::*,
                                  int base::stream_options::*,
                                  bool socket_options::*,
                                  bool base::stream_options::*,
                                  std::int64_t socket_options::*,
                                  std::uint64_t socket_options::*,
                                  std::string socket_options::*,
                                  std::string base::stream_options::*,
                                  option_properties socket_options::*,
                                  base::ip_range_list base::accept_filter::*,
                                  base::id_list base::accept_filter::*,
                                  live_value,
                                  security_value,
                                  option_action>;

// The field that a member pointer of option_field names.
template <class T> [[nodiscard]] T &field_of (socket_options &options, T socket_options::*at) noexcept
{
    return options.*at;
}
template <class T> [[nodiscard]] T &field_of (socket_options &options, T base::stream_options::*at) noexcept
{
    return options.stream.*at;
}
template <class T> [[nodiscard]] T &field_of (socket_options &options, T base::accept_filter::*at) noexcept
{
    return options.stream.admits.*at;
}

inline constexpr int no_number = -1;

// What setting and getting go by. Without text and addresses: a library that
// explains nothing holds just these.
struct option_rule
{
    std::int64_t zmq_default = 0;  // strings start empty
    std::int64_t zlink_default = 0;
    std::int64_t min = 0;  // of the number, or of the string's length
    std::int64_t max = 0;
    option_field field{};
    type_set types = all_types;
    type_set idle = 0;  // by zmq.h take it as libzmq's do, and neither keep it nor act on it
    std::int16_t zmq_number = no_number;
    std::int16_t zlink_number = no_number;
    std::int16_t step = 1;  // values are rounded down to multiples of it
    bool negated = false;   // a boolean that stores its opposite
    option_type type = option_type::integer;
    takes_effect when = takes_effect::never;
    option_access access = option_access::read;
    option_part part = option_part::core;

    [[nodiscard]] int number (header by) const noexcept
    {
        return by == header::zmq ? zmq_number : zlink_number;
    }
    [[nodiscard]] std::int64_t initial (header by) const noexcept
    {
        return by == header::zmq ? zmq_default : zlink_default;
    }
    [[nodiscard]] bool applies_to (int socket) const noexcept { return (types >> socket & 1U) != 0; }
    // Of a row that can be set: it is taken, and that is all.
    [[nodiscard]] bool without_effect_on (int socket) const noexcept
    {
        return when == takes_effect::never || !applies_to (socket);
    }
    [[nodiscard]] bool taken_by (header by, int socket) const noexcept
    {
        return ((by == header::zmq ? types | idle : types) >> socket & 1U) != 0;
    }
};

struct option_row : option_rule
{
    const char *name = "";  // as in the headers, without their prefix
    const char *unit = "";  // "" where there is none
    const char *doc = "";   // one sentence
};

// All rows, those that programs read in their loops first.
[[nodiscard]] std::span<const option_row> option_rows () noexcept;
// Null when the header has no such number, or its option belongs to a part that
// is not built.
[[nodiscard]] const option_rule *find_option (header by, int number) noexcept;
// The same of a mechanism's options alone, in a library that has any.
[[nodiscard]] const option_rule *find_mechanism_option (header by, int number) noexcept;
// Null when no row has the name (exactly, upper case, without prefix).
[[nodiscard]] const option_row *find_option (std::string_view name) noexcept;

// The options of a new socket: the header's defaults, changed by what the
// context says (IPV6, BLOCKY) and by the type.
[[nodiscard]] socket_options initial_options (const context_options &of, int type);
// The same with an untouched context.
[[nodiscard]] socket_options initial_options (header by, int type);

// invalid_argument: unknown number, an option of another type or of a part
// that is not built, a wrong size, or a value out of range.
base::result<void>
set_option (socket_options &options, header by, int type, int number, const void *value, std::size_t size);

// Writes the value, zeroes the rest of the buffer and sets *size to the
// value's size. invalid_argument as above, or the buffer is too small; what
// live rows answer otherwise.
base::result<void> get_option (const socket_options &options,
                               live_values &live,
                               header by,
                               int type,
                               int number,
                               void *value,
                               std::size_t *size);

// --- contexts -------------------------------------------------------------

struct context_option_row
{
    const char *name;
    int number;  // the same in both headers
    option_type type;
    std::int64_t zmq_default;
    std::int64_t zlink_default;
    std::int64_t min;
    std::int64_t max;
    option_access access;
    const char *doc;
};

[[nodiscard]] std::span<const context_option_row> context_option_rows () noexcept;
[[nodiscard]] context_options initial_context_options (header by);

// The ceiling of MAX_SOCKETS, read as SOCKET_LIMIT.
inline constexpr int max_sockets_limit = 65'535;
inline constexpr std::size_t thread_name_prefix_max = 16;

// value is an int, or for THREAD_NAME_PREFIX an int or up to 16 bytes: who asks
// for an int is told the number that the prefix begins with, or 0.
// invalid_argument: unknown number, wrong size, out of range, or removing a
// CPU that is not in the set.
base::result<void> set_option (context_options &options, int number, const void *value, std::size_t size);
base::result<void> get_option (const context_options &options, int number, void *value, std::size_t *size);

}  // namespace zlink::socket
