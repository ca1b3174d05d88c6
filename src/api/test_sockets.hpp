// For tests only: a context with sockets that close themselves.
//
// Ownership: the object owns the context and every socket it opened; its end
// closes them without linger and waits for the context. Blocking: as the
// calls that the functions stand for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/sockets.hpp"

namespace zlink::api {

class test_sockets
{
  public:
    static constexpr int pair_type = 0;
    static constexpr int pub_type = 1;
    static constexpr int sub_type = 2;
    static constexpr int pull_type = 7;
    static constexpr int push_type = 8;
    static constexpr int xpub_type = 9;

    test_sockets () = default;
    test_sockets (const test_sockets &) = delete;
    test_sockets &operator= (const test_sockets &) = delete;
    ~test_sockets ()
    {
        for (void *each : opened_)
            static_cast<void> (socket::close (each));
        static_cast<void> (context_terminate (context));
    }

    // Null when that failed, as in all functions below.
    void *open (int type)
    {
        auto made = socket::open (context, type);
        if (!made)
            return nullptr;
        const int no_linger = 0;
        static_cast<void> (
          socket::set_option (made.value (), socket::number_of_linger, &no_linger, sizeof (no_linger)));
        opened_.push_back (made.value ());
        return made.value ();
    }

    void *open_bound (int type, const std::string &endpoint)
    {
        void *made = open (type);
        return socket::bind (made, endpoint) ? made : nullptr;
    }

    void *open_connected (int type, const std::string &endpoint)
    {
        void *made = open (type);
        return socket::connect (made, endpoint) ? made : nullptr;
    }

    // With one message of room at most in each of its queues.
    void *open_narrow (int type)
    {
        constexpr int one = 1;
        void *made = open (type);
        for (const int mark : {socket::number_of_send_hwm, socket::number_of_receive_hwm})
            static_cast<void> (socket::set_option (made, mark, &one, sizeof (one)));
        return made;
    }

    // A handle that was a socket.
    void *open_closed ()
    {
        auto made = socket::open (context, pair_type);
        return made && socket::close (made.value ()) ? made.value () : nullptr;
    }

    // The next part, or "failed".
    static std::string receive_text (void *from)
    {
        std::string text (100, '\0');
        const int size = receive_bytes (from, text.data (), text.size (), 0);
        if (size < 0)
            return "failed";
        text.resize (static_cast<std::size_t> (size));
        return text;
    }

    [[nodiscard]] static bool send_text (void *to, std::string_view text, int flags = 0)
    {
        return send_bytes (to, text.data (), text.size (), flags) == static_cast<int> (text.size ());
    }

    void *const context = context_new (socket::header::zlink);

  private:
    std::vector<void *> opened_;
};

}  // namespace zlink::api
