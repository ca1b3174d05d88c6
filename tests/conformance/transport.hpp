// What the suite needs to know of the transport that it runs over. Each
// transport's file defines under_test().
#pragma once

#include <string>

#include "support/places.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

struct transport
{
    const char *name;
    // Marks: inproc has one queue, the sum of both; others have a queue at
    // each end and what lies between them.
    bool one_queue;
    // Whether the descriptors of pollers nest, as the system's do.
    bool nests_pollers;
    // Whether the paths that options are given lead to the system's files.
    bool reads_files;
    // An endpoint that nobody has used, concrete enough to connect first.
    std::string (*place) ();
    // A context of zmq.h or zlink.h in the world that the transport lives in.
    void *(*zmq_context) ();
    void *(*zlink_context) ();
};

[[nodiscard]] const transport &under_test ();

// A test of the suite: a context, and sockets of it.
class conformance : public testing::Test
{
  protected:
    [[nodiscard]] socket open (int type) { return {own, type}; }
    [[nodiscard]] socket open_zlink (int type)
    {
        if (!other)
            other.emplace (under_test ().zlink_context ());
        return {*other, type};
    }
    [[nodiscard]] static std::string place () { return under_test ().place (); }

    // binder and dialler know each other when this is true.
    [[nodiscard]] static bool join (socket &binder, socket &dialler)
    {
        dialler.connect (binder.bind (place ()));
        return dialler.has_peers () && binder.has_peers ();
    }

    context own{under_test ().zmq_context ()};
    std::optional<context> other;
};

}  // namespace zlink::test
