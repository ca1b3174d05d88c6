// Serves the counters of a context's sockets, gateways and receivers to whoever asks by
// HTTP: Prometheus' text at /metrics, JSON at /statistics. A STREAM of the same context, read by the
// services' loop; nothing is counted for it that is not counted anyway.
//
// Its readers are strangers: one request each, whose head has wire's limits, a number of
// them at a time, and times after which they are given up (limits.hpp). It tells what
// the context's endpoints and peers are, and keeps nobody from reading it.
//
// Thread rule: every call from any thread; the work is the loop's. Blocking: close(),
// until the loop has let go.
// Lifetime: world and context outlive it. Held by a shared_ptr; close() before it is
// dropped.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/message.hpp"
#include "base/world.hpp"
#include "service/counted.hpp"
#include "service/service_loop.hpp"
#include "socket/facade.hpp"
#include "wire/http_head.hpp"

namespace zlink::service {

class statistics_server final : public served
{
  public:
    // Bound there. too_many_sockets, terminated, no_memory; as the facade's bind.
    static base::result<std::shared_ptr<statistics_server>>
    open (base::world &world,
          void *context,
          const std::shared_ptr<service_loop> &loop,
          std::string_view endpoint,
          std::shared_ptr<counted_list> services) noexcept;
    statistics_server (base::world &world, void *context, std::shared_ptr<counted_list> services) noexcept;
    ~statistics_server () override;

    // Where it is bound, wildcards resolved.
    [[nodiscard]] const std::string &endpoint () const noexcept { return endpoint_; }
    // It is of no use any more.
    void close () noexcept;

    // --- the loop's ---
    void sockets (std::vector<socket::poll_item> &wanted) override;
    loop_wish advance (base::time_ns now) override;
    void ended () noexcept override {}

  private:
    struct reader
    {
        wire::http_head asks{wire::http_kind::request};
        bool heard = false;       // what else it says is ignored
        bool released = false;    // it goes, behind its answer
        base::time_ns until = 0;  // then it is given up, or forgotten
    };
    using reader_map = std::map<std::string, reader, std::less<>>;  // by name
    // What is answered.
    struct page
    {
        std::string_view status = "200 OK";
        std::string_view type = "text/plain; charset=utf-8";
        std::string body;
    };

    base::result<void> set_up (std::string_view endpoint);
    bool read_one (base::time_ns now);
    void take (base::time_ns now, std::string_view name);
    void answer (base::time_ns now, reader_map::value_type &whom) noexcept;
    void tell (std::string_view name, const wire::http_head &asked, const page &what);
    [[nodiscard]] page page_for (const wire::http_head &asked, base::time_ns now);
    [[nodiscard]] page statistics_page (bool as_json, base::time_ns now);
    std::uint64_t number_of (socket::socket_key whose);
    void part_with (base::time_ns now, reader_map::value_type &whom) noexcept;
    bool send (std::string_view to, std::string_view octets) noexcept;
    base::time_ns give_up (base::time_ns now) noexcept;

    base::world &world_;
    void *const context_;
    const std::shared_ptr<counted_list> services_;
    void *socket_ = nullptr;
    std::string endpoint_;
    std::unique_ptr<service_loop::seat> seat_;

    // --- the loop's thread's ---
    reader_map readers_;
    base::message name_, body_;
    std::map<socket::socket_key, std::uint64_t> numbers_;  // of those that were there the last time
    std::uint64_t numbers_given_ = 0;
};

}  // namespace zlink::service
