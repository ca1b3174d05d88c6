#include "tools/zlink/registry_http.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

namespace zlink::tool {

namespace {

constexpr std::size_t threads = 40;   // each serves one connection at a time
constexpr unsigned streams_max = 32;  // pages that are told of changes; others ask now and then
constexpr std::size_t request_bytes_max = 16 * 1024;
constexpr time_t patience_s = 5;                    // for a client that sends or takes nothing
constexpr time_t idle_s = 1;                        // for the next request of a connection
constexpr std::chrono::milliseconds pulse{10'000};  // a sign of life on a silent stream
constexpr std::chrono::milliseconds between{100};   // two news

constexpr int too_many = 503;
constexpr int misdirected = 421;

// Of "127.0.0.1:8080" and "[::1]:8080". False: it is neither.
bool read_address (const std::string &text, std::string &host, int &port)
{
    const std::size_t colon = text.rfind (':');
    if (colon == std::string::npos)
        return false;
    host = text.substr (0, colon);
    if (host.starts_with ('[') && host.ends_with (']'))
        host = host.substr (1, host.size () - 2);
    const char *const end = text.data () + text.size ();
    const auto [stopped, failure] = std::from_chars (text.data () + colon + 1, end, port);
    return failure == std::errc () && stopped == end && !host.empty () && port >= 0 && port <= 65535;
}

bool is_loopback (std::string_view host)
{
    return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with ("127.");
}

std::string_view without_port (std::string_view host)
{
    const std::size_t colon = host.rfind (':');
    const bool has_port = colon != std::string_view::npos && !host.ends_with (']');
    return has_port ? host.substr (0, colon) : host;
}

std::string random_word ()
{
    std::random_device dice;
    return fmt::format ("{:08x}{:08x}{:08x}{:08x}", dice (), dice (), dice (), dice ());
}

}  // namespace

class registry_http::pages
{
  public:
    pages (const registry_view &view, ask_info info) : view_ (view), info_ (std::move (info))
    {
        server_.new_task_queue = [] { return new httplib::ThreadPool (threads); };
        server_.set_payload_max_length (request_bytes_max);
        server_.set_read_timeout (patience_s);
        server_.set_write_timeout (patience_s);
        server_.set_keep_alive_timeout (idle_s);
        server_.set_tcp_nodelay (true);
        // Without SO_REUSEPORT, which would let two have one port.
        server_.set_socket_options ([] (socket_t made) {
            const int yes = 1;
            (void)setsockopt (made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        server_.set_default_headers ({{"Cache-Control", "no-store"},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"Referrer-Policy", "no-referrer"}});
        // A page from elsewhere that has its name lead here is not for us.
        server_.set_pre_routing_handler ([this] (const httplib::Request &asked, httplib::Response &answer) {
            if (!is_loopback (host_) || is_loopback (without_port (asked.get_header_value ("Host"))))
                return httplib::Server::HandlerResponse::Unhandled;
            answer.status = misdirected;
            return httplib::Server::HandlerResponse::Handled;
        });
        add_pages ();
    }

    std::string start (const std::string &address, std::string &why)
    {
        int port = 0;
        if (!read_address (address, host_, port)) {
            why = fmt::format ("--http '{}' is not of the form HOST:PORT, such as 127.0.0.1:8080", address);
            return {};
        }
        const bool bound =
          port == 0 ? (port = server_.bind_to_any_port (host_)) > 0 : server_.bind_to_port (host_, port);
        if (!bound) {
            why = fmt::format ("cannot bind --http to {}", address);
            return {};
        }
        thread_ = std::thread ([this] {
            server_.listen_after_bind ();
            has_left_ = true;
        });
        const bool is_v6 = host_.find (':') != std::string::npos;
        return fmt::format ("http://{}:{}/", is_v6 ? "[" + host_ + "]" : host_, port);
    }

    void stop ()
    {
        if (!thread_.joinable ())
            return;
        while (!server_.is_running () && !has_left_)
            std::this_thread::yield ();  // it has begun just now
        server_.stop ();
        thread_.join ();
    }

  private:
    using request = httplib::Request;
    using response = httplib::Response;

    void add_pages ()
    {
        server_.Get ("/", [] (const request &, response &answer) {
            const std::string nonce = random_word ();
            answer.set_header (
              "Content-Security-Policy",
              fmt::format ("default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; "
                           "connect-src 'self'; img-src data:; base-uri 'none'; "
                           "form-action 'none'; frame-ancestors 'none'",
                           nonce));
            answer.set_content (registry_page (nonce), "text/html; charset=utf-8");
        });
        server_.Get ("/api/services", [this] (const request &, response &answer) {
            answer.set_content (view_.json (info_ ()), "application/json");
        });
        server_.Get ("/metrics", [this] (const request &, response &answer) {
            answer.set_content (view_.metrics (info_ ()), "text/plain; version=0.0.4; charset=utf-8");
        });
        server_.Get ("/healthz", [this] (const request &, response &answer) {
            const zlink_registry_info_t info = info_ ();
            answer.set_content (fmt::format (R"({{"status":"ok","settled":{}}})", info.settled != 0),
                                "application/json");
        });
        server_.Get ("/api/events", [this] (const request &, response &answer) { stream (answer); });
    }

    // Tells that there is something new, and the page asks for it.
    void stream (response &answer)
    {
        if (++streams_ > streams_max) {
            --streams_;
            answer.status = too_many;
            return;
        }
        answer.set_chunked_content_provider (
          "text/event-stream",
          [this, seen = std::uint64_t{0}, begun = false] (std::size_t, httplib::DataSink &to) mutable {
              if (begun)
                  (void)view_.wait_for_end (between);
              const std::uint64_t now = begun ? view_.wait_beyond (seen, pulse) : view_.changes ();
              const bool news = !begun || now != seen;
              begun = true;
              seen = now;
              if (view_.has_ended ()) {
                  to.done ();
                  return true;
              }
              const std::string text = news ? fmt::format ("data: {}\n\n", now) : ": still here\n\n";
              return to.write (text.data (), text.size ());
          },
          [this] (bool) { --streams_; });
    }

    const registry_view &view_;
    const ask_info info_;
    std::string host_;
    httplib::Server server_;
    std::thread thread_;
    std::atomic<bool> has_left_{false};
    std::atomic<unsigned> streams_{0};
};

registry_http::registry_http (const registry_view &view, ask_info info)
  : pages_ (std::make_unique<pages> (view, std::move (info)))
{
}

registry_http::~registry_http () { stop (); }

std::string registry_http::start (const std::string &address, std::string &why)
{
    return pages_->start (address, why);
}

void registry_http::stop () { pages_->stop (); }

}  // namespace zlink::tool
