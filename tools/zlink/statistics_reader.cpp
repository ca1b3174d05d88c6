#include "tools/zlink/statistics_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <zlink/zlink.h>

#include "tools/zlink/advice.hpp"

namespace zlink::tool {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::string_view request = "GET /statistics HTTP/1.1\r\nHost: zlink\r\nConnection: close\r\n\r\n";
constexpr std::size_t answer_bytes_max = std::size_t{64} << 20;
constexpr std::size_t chunk_bytes = 9000;
// How often it is looked whether the connection was refused.
constexpr int look_every_ms = 20;

// One request and its answer.
class conversation
{
  public:
    conversation (void *context, const std::string &endpoint, double limit_s)
      : socket_ (zlink_socket (context, ZLINK_STREAM)), endpoint_ (endpoint),
        end_ (clock::now ()
              + std::chrono::duration_cast<clock::duration> (std::chrono::duration<double> (limit_s)))
    {
        const int raw = 1, none = 0;
        zlink_setsockopt (socket_, ZLINK_STREAM_RAW, &raw, sizeof raw);
        zlink_setsockopt (socket_, ZLINK_LINGER, &none, sizeof none);
        zlink_setsockopt (socket_, ZLINK_RCVTIMEO, &look_every_ms, sizeof look_every_ms);
    }
    ~conversation () { zlink_close (socket_); }
    conversation (const conversation &) = delete;
    conversation &operator= (const conversation &) = delete;

    told_statistics run ()
    {
        if (zlink_connect (socket_, endpoint_.c_str ()) != 0)
            return failed (zlink_strerror (zlink_errno ()));
        std::string chunk;
        if (!next (chunk))
            return std::move (trouble_);
        if (zlink_send (socket_, peer_.data (), peer_.size (), ZLINK_SNDMORE) < 0
            || zlink_send (socket_, request.data (), request.size (), 0) < 0)
            return failed (zlink_strerror (zlink_errno ()));
        std::string answer;
        while (next (chunk) && !chunk.empty ()) {
            answer += chunk;
            if (answer.size () > answer_bytes_max)
                return failed ("the answer has no end");
        }
        return trouble_.trouble.empty () ? parse_statistics (answer) : std::move (trouble_);
    }

  private:
    static told_statistics failed (std::string why)
    {
        told_statistics made;
        made.trouble = std::move (why);
        return made;
    }
    // Empty: the peer has come, or gone. False: neither, and the trouble says why.
    bool next (std::string &chunk) { return part (peer_) && part (chunk); }
    bool part (std::string &to)
    {
        to.resize (chunk_bytes);
        for (;;) {
            const int got = zlink_recv (socket_, to.data (), to.size (), 0);
            if (got >= 0) {
                to.resize (std::min (static_cast<std::size_t> (got), to.size ()));
                return true;
            }
            if (zlink_errno () != EAGAIN && zlink_errno () != EINTR)
                trouble_ = failed (zlink_strerror (zlink_errno ()));
            else if (is_refused () || is_late ())
                return false;
            if (!trouble_.trouble.empty ())
                return false;
        }
    }
    bool is_refused ()
    {
        zlink_endpoint_status_t how{};
        if (zlink_connect_status (socket_, endpoint_.c_str (), &how) != 0 || how.last_reason == 0
            || how.connected != 0)
            return false;
        trouble_ = failed (fmt::format ("{}: {}", how.reason_text, advice_for (how.reason_text)));
        return true;
    }
    bool is_late ()
    {
        if (clock::now () < end_)
            return false;
        trouble_ = failed ("no answer in time");
        trouble_.late = true;
        return true;
    }

    void *socket_;
    const std::string &endpoint_;
    clock::time_point end_;
    std::string peer_;
    told_statistics trouble_;
};

bool is_number (std::string_view text)
{
    return !text.empty () && text.find_first_not_of ("0123456789") == text.npos;
}

}  // namespace

statistics_reader::statistics_reader () : context_ (zlink_ctx_new ()) {}

statistics_reader::~statistics_reader () { zlink_ctx_term (context_); }

told_statistics statistics_reader::read (const std::string &endpoint, double limit_s)
{
    const std::string real = endpoint_of (endpoint);
    told_statistics found = conversation (context_, real, limit_s).run ();
    found.endpoint = endpoint;
    return found;
}

std::string endpoint_of (std::string_view text)
{
    constexpr std::string_view http = "http://";
    if (text.starts_with (http)) {
        text.remove_prefix (http.size ());
        text = text.substr (0, text.find ('/'));
    }
    if (is_number (text))
        return fmt::format ("tcp://127.0.0.1:{}", text);
    return text.find ("://") == text.npos ? fmt::format ("tcp://{}", text) : std::string (text);
}

told_statistics parse_statistics (std::string_view answer)
{
    told_statistics found;
    const std::size_t end = answer.find ("\r\n\r\n");
    if (!answer.starts_with ("HTTP/1.") || end == answer.npos) {
        found.trouble = answer.empty () ? "it hung up without an answer" : "what answers there is no HTTP";
        return found;
    }
    const std::string_view line = answer.substr (0, answer.find ("\r\n"));
    found.all = nlohmann::ordered_json::parse (answer.substr (end + 4), nullptr, false);
    const bool tells =
      found.all.is_object () && found.all.contains ("sockets") && found.all["sockets"].is_array ();
    if (line.find (" 200") == line.npos || !tells)
        found.trouble = fmt::format ("no statistics are served there ({})", line);
    return found;
}

}  // namespace zlink::tool
