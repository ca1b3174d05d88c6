// A conversation of two nodes of SPOT over a partition that a registry in a process of its
// own grants: what one publishes is numbered and the other reads it.
#include <array>
#include <cerrno>

#include "failures/script.hpp"
#include "support/child_process.hpp"
#include "support/places.hpp"
#include "zlink/zlink.h"

namespace zlink::test {
namespace {

constexpr int look_ms = 20;
constexpr const char *topic = "ordered";

// Of which nothing is refused; it is there for as long as this process.
const char *granting ()
{
    static const std::string place = tcp_place ();
    static const child_process registry ({ZLINK_VOTER_PROCESS, place, ipc_path ()});
    return place.c_str ();
}

class parted_script : script_steps
{
  public:
    explicit parted_script (const char *grantor) : grantor_ (grantor) {}
    void play (const char *endpoint)
    {
        context_ = insist ("ctx_new", [] { return zlink_ctx_new (); });
        near_ = come (endpoint, nullptr);
        insist ("spot_node_endpoint", [&] {
            std::size_t size = place_.size ();
            return zlink_spot_node_endpoint (near_, place_.data (), &size);
        });
        far_ = come (endpoint, place_.data ());
        pub_ = insist ("spot_pub_new", [&] { return zlink_spot_pub_new (near_); });
        reader_ = insist ("spot_reader_new",
                          [&] { return zlink_spot_reader_new (far_, topic, ZLINK_SPOT_FROM_NOW, 0); });
        expect ("spot_reader_next", eventually ([this] { return is_numbered () && is_read (); }));
        insist ("spot_reader_destroy", [&] { return zlink_spot_reader_destroy (&reader_); });
        insist ("spot_pub_destroy", [&] { return zlink_spot_pub_destroy (&pub_); });
        insist ("spot_node_destroy", [&] { return zlink_spot_node_destroy (&far_); });
        insist ("spot_node_destroy", [&] { return zlink_spot_node_destroy (&near_); });
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

  private:
    void *come (const char *endpoint, const char *seed)
    {
        void *const node = insist ("spot_node_new", [&] { return zlink_spot_node_new (context_); });
        insist ("spot_node_add_grantor", [&] { return zlink_spot_node_add_grantor (node, grantor_); });
        insist ("spot_node_declare", [&] { return zlink_spot_node_declare (node, topic, 1); });
        insist ("spot_node_bind", [&] { return zlink_spot_node_bind (node, endpoint); });
        insist ("spot_node_join", [&] { return zlink_spot_node_join (node, seed); });
        return node;
    }
    bool is_numbered ()
    {
        return attempt (
                 "spot_pub_send_key",
                 [&] { return zlink_spot_pub_send_key (pub_, topic, "k", 1, "x", 1, nullptr, look_ms); },
                 EHOSTUNREACH, ETIMEDOUT)
               == 0;
    }
    bool is_read ()
    {
        zlink_spot_event_t event{};
        event.size = sizeof event;
        while (
          attempt (
            "spot_reader_next", [&] { return zlink_spot_reader_next (reader_, &event, look_ms); }, EAGAIN)
          == 0)
            if (event.kind == ZLINK_SPOT_EVENT_MESSAGE)
                return true;
        return false;
    }

    const char *const grantor_;
    void *context_ = nullptr, *near_ = nullptr, *far_ = nullptr, *pub_ = nullptr, *reader_ = nullptr;
    std::array<char, 256> place_{};
};

}  // namespace

void play_parted (const char *endpoint, const char *) { parted_script (granting ()).play (endpoint); }

}  // namespace zlink::test
