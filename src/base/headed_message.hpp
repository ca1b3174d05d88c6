// A message of two parts as it is read behind the name of who sent it, one of several
// that are read at once: most have the name and the head of the one before.
//
// Trivial as a message is: init first.
// Thread rule: one thread at a time.
#pragma once

#include <array>

#include "base/message.hpp"

namespace zlink::base {

struct headed_message
{
    message name;                  // untouched where it is the one's before again
    std::array<message, 2> parts;  // head and body; the head likewise
    bool name_again;
    bool head_again;

    void init () noexcept
    {
        name.init ();
        parts[0].init ();
        parts[1].init ();
        name_again = head_again = false;
    }
    void close () noexcept
    {
        name.close ();
        parts[0].close ();
        parts[1].close ();
    }
};

}  // namespace zlink::base
