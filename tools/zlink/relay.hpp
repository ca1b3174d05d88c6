// A relay: clients that know one address reach services by name (docs/protocol/relay.md),
// over a gateway of the library's. The calling thread reads what clients ask; replies
// go out on the gateway's thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zlink/zlink.h>

#include "tools/zlink/attachment.hpp"

namespace zlink::tool {

class termination;

struct relay_settings
{
    attachment clients;                                        // where they come
    std::vector<std::string> registries;                       // who knows the providers, or
    std::map<std::string, std::vector<std::string>> services;  // by name, where they are
    std::vector<option_value> provider_options;                // of the connections to them
    std::int32_t timeout_ms = 30'000;                          // of requests that say none
    std::int32_t patience_ms = 5'000;                          // for those under way in the end
    bool says_failures = false;                                // a line for each
};

class relay
{
  public:
    // Lives as long as what it is made with. Throws stop.
    relay (void *context, const relay_settings &wish);
    ~relay () { close (); }
    relay (const relay &) = delete;
    relay &operator= (const relay &) = delete;

    // Until the end is asked for; then until nothing is under way, at most for the
    // settings' patience. Throws stop.
    void run (const termination &ending);

    // What is under way ends, and its clients are told. A second one does nothing.
    void close () noexcept;
    // What was done, for the log.
    [[nodiscard]] std::string summary () const;

  private:
    struct asked;

    void open_gateway ();
    void open_clients ();
    void take ();
    // True: it is its handler's, which may have ended it already.
    [[nodiscard]] bool ask (asked &from, std::string_view wish);
    void ended () noexcept;
    void send_one_way (asked &from, const char *service);
    static void take_reply (std::uint64_t id, zlink_reply_t *reply, void *hint) noexcept;
    void answer (const asked &to, std::string_view status, std::span<zlink_msg_t> body);
    void refuse (const asked &to, std::string_view status, std::string_view text);
    void note_failure (const std::string &service, std::string_view status);

    void *context_;
    const relay_settings &wish_;
    void *clients_ = nullptr;
    void *discovery_ = nullptr;
    void *gateway_ = nullptr;
    std::vector<std::string> bound_;
    std::atomic<std::uint64_t> requests_{0}, failed_{0}, one_way_{0}, dropped_{0};
    std::mutex lock_;  // of the next two
    std::condition_variable all_ended_;
    std::uint64_t under_way_ = 0;
};

}  // namespace zlink::tool
