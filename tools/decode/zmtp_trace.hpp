// One direction of a connection as ZMTP, told in lines: greeting, commands, parts of
// messages. Reads what either side said without being one of them. Holds no more than a
// command and the beginning of a part, whatever lengths are claimed. Pure.
//
// How the octets come in pieces makes no difference. Lines have no control characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/framing.hpp"

namespace zlink::tool {

using base::bytes_view;

class zmtp_trace
{
  public:
    using teller = std::function<void (const std::string &line)>;

    // tell is called from feed and finish.
    explicit zmtp_trace (teller tell) : tell_ (std::move (tell)) {}

    void feed (bytes_view octets);
    // Nothing more comes: says what is unfinished.
    void finish ();
    // False: this is not ZMTP, or something is wrong; nothing more is told.
    [[nodiscard]] bool goes_on () const noexcept { return stage_ != stage::over; }

    static constexpr std::size_t shown_bytes_max = 48;

  private:
    enum class stage : std::uint8_t
    {
        greeting,
        identity,  // of ZMTP 1.0 and 2.0: the first frame
        frames,
        over,
    };

    void read_greeting ();
    void take_greeting (std::size_t size);
    void read_frame_head ();
    void frame_complete ();
    void tell_command ();
    void tell_ready (std::string_view name, bytes_view data);
    void end (const std::string &line);

    teller tell_;
    stage stage_ = stage::greeting;
    wire::framing framing_ = wire::framing::zmtp_3;
    std::string mechanism_;
    std::vector<std::byte> have_;  // of the greeting, or of a frame's head
    bool in_body_ = false;
    wire::frame_head head_;
    std::uint64_t body_left_ = 0;
    std::vector<std::byte> body_;  // its beginning
};

// Octets for people: text in quotation marks where all is printable, else hexadecimal
// digits; what is above `most` is left out with a word of it.
[[nodiscard]] std::string preview (bytes_view octets, std::uint64_t all_bytes, std::size_t most);

}  // namespace zlink::tool
