// The option constants of the C++ interface are the rows of the table.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <zlink/zlink.hpp>

#include "socket/options.hpp"

namespace zlink::test {
namespace {

struct constant
{
    std::string name;
    int number;
    bool is_text;
    bool (*fits) (const socket::option_row &, bool is_text);
};

template <class T> bool fits (const socket::option_row &row, [[maybe_unused]] bool is_text)
{
    using socket::option_type;
    if constexpr (std::is_same_v<T, bool>)
        return row.type == option_type::boolean || row.name == std::string_view ("RCVMORE");
    else if constexpr (std::is_same_v<T, std::string>)
        return row.type == (is_text ? option_type::string : option_type::binary);
    else if constexpr (std::is_same_v<T, std::chrono::milliseconds>)
        return row.type == option_type::integer && row.unit == std::string_view ("ms");
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return row.type == option_type::int64;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return row.type == option_type::uint64;
    else  // a descriptor is an int, too
        return (row.type == option_type::integer && row.unit != std::string_view ("ms"))
               || row.type == option_type::handle;
}

template <class... T> std::vector<constant> list (const option<T> &...all)
{
    return {{all.name, all.number, all.is_text, &fits<T>}...};
}

std::vector<constant> constants ()
{
    using namespace options;
    return list (options::events, rcvmore, fd, type, last_endpoint, thread_safe, mechanism, topics_count,
                 sndhwm, rcvhwm, sndhwm_bytes, rcvhwm_bytes, maxmsgsize, conflate, immediate, in_batch_size,
                 out_batch_size, spin, linger, rcvtimeo, sndtimeo, reconnect_ivl, reconnect_ivl_max,
                 handshake_ivl, connect_timeout, heartbeat_ivl, heartbeat_ttl, heartbeat_timeout, tcp_maxrt,
                 reconnect_stop, routing_id, affinity, ipv6, sndbuf, rcvbuf, backlog, tos, priority,
                 busy_poll, tcp_keepalive, tcp_keepalive_cnt, tcp_keepalive_idle, tcp_keepalive_intvl, use_fd,
                 bindtodevice, multicast_hops, multicast_loop, tcp_accept_filter, ipc_filter_pid,
                 ipc_filter_uid, ipc_filter_gid, socks_proxy, socks_username, socks_password, plain_server,
                 plain_username, plain_password, curve_server, curve_publickey, curve_secretkey,
                 curve_serverkey, curve_allowed_keys, plain_passwords, zap_domain, zap_enforce_domain,
                 require_policy, tls_cert, tls_key, tls_ca, tls_verify, tls_require_client_cert, tls_hostname,
                 tls_trust_system, tls_password, tls_alpn, ws_host, ws_origin, ws_allowed_origins, ws_header,
                 metadata, hello_msg, disconnect_msg, hiccup_msg, router_mandatory, router_handover,
                 router_notify, probe_router, connect_routing_id, req_correlate, req_relaxed, xpub_verbose,
                 xpub_verboser, xpub_nodrop, slow_consumer, report_gaps, xpub_manual, xpub_manual_last_value,
                 xpub_welcome_msg, xsub_verbose_unsubscribe, only_first_subscribe, topics_max,
                 topic_bytes_max, last_values, last_value_bytes, invert_matching, stream_notify, stream_raw);
}

// What is deprecated, without effect, or has a call of its own.
bool left_out (std::string_view name)
{
    for (const std::string_view each :
         {"IPV4ONLY", "RATE", "RECOVERY_IVL", "MULTICAST_MAXTPDU", "LOOPBACK_FASTPATH", "REQUEST_TIMEOUT",
          "REQUEST_CORRELATE", "ZMP_METADATA", "SUBSCRIBE", "UNSUBSCRIBE", "SUBSCRIBE_PATTERN",
          "UNSUBSCRIBE_PATTERN", "ROUTER_RAW"})
        if (name == each)
            return true;
    return false;
}

TEST (cpp_options, are_the_rows_of_the_table)
{
    const std::vector<constant> all = constants ();
    for (const socket::option_row &row : socket::option_rows ()) {
        const auto found = std::find_if (all.begin (), all.end (),
                                         [&] (const constant &each) { return each.name == row.name; });
        if (found == all.end ()) {
            EXPECT_TRUE (row.part != socket::option_part::core || left_out (row.name))
              << row.name << " has no constant";
            continue;
        }
        EXPECT_EQ (found->number, row.zlink_number) << row.name;
        EXPECT_TRUE (found->fits (row, found->is_text)) << row.name << " has another type";
    }
}

}  // namespace
}  // namespace zlink::test
