// A pcap file, packet by packet, down to TCP. Nothing is believed of it: every length
// is checked against what is there, and what cannot be read is counted and left out.
// Pure; the file's bytes outlive the reader.
//
//   file    24 octets: magic number, version, ..., link type; then packets
//   packet  16 octets: seconds, fraction, octets here, octets once; then those here
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace zlink::tool {

using base::bytes_view;

// "127.0.0.1:5555" or "[::1]:5555".
struct flow
{
    std::string from;
    std::string to;
    auto operator<=> (const flow &) const = default;
};

struct segment
{
    std::int64_t time_ns = 0;  // by the clock of who captured it
    flow way;
    std::uint32_t sequence = 0;  // of the payload's first octet, or of SYN
    bool opens = false;          // SYN
    bool closes = false;         // FIN or RST
    bytes_view payload;
};

class capture_reader
{
  public:
    explicit capture_reader (bytes_view file);

    // Empty: it is one. Otherwise why not.
    [[nodiscard]] const std::string &trouble () const noexcept { return trouble_; }
    // The next segment of TCP; false: there is none.
    bool next (segment &found);

    // Packets that are no TCP, cut off, in pieces, or not to be understood.
    [[nodiscard]] std::uint64_t left_out () const noexcept { return left_out_; }
    // The file ends within a packet.
    [[nodiscard]] bool ends_early () const noexcept { return ends_early_; }

  private:
    [[nodiscard]] std::uint32_t number_at (std::size_t at) const noexcept;

    bytes_view rest_;
    bool swapped_ = false;
    bool counts_ns_ = false;
    std::uint32_t link_ = 0;
    std::string trouble_;
    std::uint64_t left_out_ = 0;
    bool ends_early_ = false;
};

}  // namespace zlink::tool
