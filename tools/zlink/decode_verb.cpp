// What was said on a wire, for people: a pcap file or a hexadecimal dump as ZMTP.
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/decode/capture.hpp"
#include "tools/decode/hex_dump.hpp"
#include "tools/decode/tcp_streams.hpp"
#include "tools/decode/zmtp_trace.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

struct decode_wish
{
    std::string file;
    unsigned port = 0;  // 0: all
    bool is_hex = false;
    bool is_raw = false;
};

std::string content_of (const std::string &path)
{
    if (path == "-")
        return {std::istreambuf_iterator<char> (std::cin), {}};
    std::ifstream from (path, std::ios::binary);
    if (!from || from.peek () == std::ifstream::traits_type::eof ())
        throw stop{exit_failed, "cannot read " + path + ", or it is empty"};
    return {std::istreambuf_iterator<char> (from), {}};
}

void tell (const std::string &line) { fmt::print ("{}\n", line); }

int decode_octets (base::bytes_view octets)
{
    zmtp_trace trace (tell);
    trace.feed (octets);
    trace.finish ();
    return exit_done;
}

int decode_dump (const std::string &text, const std::string &name)
{
    std::vector<std::byte> octets;
    std::size_t bad_line = 0;
    if (!read_hex_dump (text, octets, bad_line))
        throw stop{exit_failed, fmt::format ("{}, line {}: it is not made of pairs of hexadecimal digits",
                                             name, bad_line)};
    return decode_octets (octets);
}

// Each way of each connection has a trace; lines begin with the time and the way.
class conversation
{
  public:
    explicit conversation (unsigned port) : port_ (port) {}

    void take (const flow &way, std::int64_t time_ns, base::bytes_view octets)
    {
        if (!is_wanted (way))
            return;
        time_ns_ = time_ns;
        auto at = traces_.find (way);
        if (at == traces_.end ())
            at = traces_
                   .emplace (way, std::make_unique<zmtp_trace> (
                                    [this, way] (const std::string &line) { say (way, line); }))
                   .first;
        if (octets.empty ()) {
            at->second->finish ();
            traces_.erase (at);
        } else
            at->second->feed (octets);
    }

  private:
    [[nodiscard]] bool is_wanted (const flow &way) const
    {
        const std::string ending = fmt::format (":{}", port_);
        return port_ == 0 || way.from.ends_with (ending) || way.to.ends_with (ending);
    }
    void say (const flow &way, const std::string &line)
    {
        if (!began_ns_)
            began_ns_ = time_ns_;
        fmt::print ("{:11.6f}  {} -> {}  {}\n", static_cast<double> (time_ns_ - *began_ns_) / 1e9, way.from,
                    way.to, line);
    }

    unsigned port_;
    std::map<flow, std::unique_ptr<zmtp_trace>> traces_;
    std::int64_t time_ns_ = 0;
    std::optional<std::int64_t> began_ns_;
};

int decode_capture (base::bytes_view file, const decode_wish &wish)
{
    capture_reader reader (file);
    if (!reader.trouble ().empty ())
        throw stop{exit_failed, wish.file + ": " + reader.trouble ()};
    conversation all (wish.port);
    tcp_streams streams ([&all] (const flow &way, std::int64_t time_ns, base::bytes_view octets) {
        all.take (way, time_ns, octets);
    });
    for (segment found; reader.next (found);)
        streams.take_segment (found);
    streams.finish ();
    std::fflush (stdout);
    if (reader.left_out () > 0)
        fmt::print (stderr, "{} packets were no TCP, or cut off\n", reader.left_out ());
    if (streams.with_gaps () > 0)
        fmt::print (stderr, "of {} streams packets are missing\n", streams.with_gaps ());
    if (reader.ends_early ())
        throw stop{exit_failed, wish.file + " ends within a packet"};
    return exit_done;
}

int decode (const decode_wish &wish)
{
    const std::string content = content_of (wish.file);
    const base::bytes_view octets = std::as_bytes (std::span (content));
    if (wish.is_raw)
        return decode_octets (octets);
    // The first octet of a capture is no digit, whichever way its numbers stand.
    const bool is_dump =
      content.empty () || std::isxdigit (static_cast<unsigned char> (content[0])) != 0 || content[0] == ' ';
    return wish.is_hex || is_dump ? decode_dump (content, wish.file) : decode_capture (octets, wish);
}

}  // namespace

action prepare_decode (CLI::App &command)
{
    constexpr unsigned port_max = 65535;
    auto wish = std::make_shared<decode_wish> ();
    command.add_option ("file", wish->file, "A pcap file or a hexadecimal dump; - is standard input")
      ->required ();
    command.add_option ("--port", wish->port, "Of a capture only connections with this port at either end")
      ->check (CLI::Range (1U, port_max));
    CLI::Option *const hex =
      command.add_flag ("--hex", wish->is_hex, "It is a dump: digits, or as xxd or hexdump -C print");
    command.add_flag ("--raw", wish->is_raw, "It is what one side said, octet for octet")->excludes (hex);
    command.footer (
      "To capture: tcpdump -i any -w file.pcap tcp port 5555. What TLS or CURVE has sealed stays so.");
    return [wish] {
        try {
            return decode (*wish);
        } catch (const stop &why) {
            return say_why ("decode", why);
        }
    };
}

}  // namespace zlink::tool
