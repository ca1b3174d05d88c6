// Conversations of those who say whom they talk to or about what: topics, names,
// requests and replies, packets of streams. Shorter than the whole one, as what
// all types share is called there.
#include <utility>

#include "failures/script.hpp"
#include "support/zlink_abi.hpp"

namespace zlink::test {
namespace {

class talk_script : protected shared_script<zlink_abi>
{
  public:
    using shared_script::shared_script;

  protected:
    void start (int near_type, int far_type)
    {
        open (insist ("ctx_new", [] { return zlink_ctx_new (); }), near_type, far_type);
    }
    void end ()
    {
        unlink ();
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

    // Parts of a message: what stands before the text, and the text.
    struct label
    {
        const void *bytes;
        std::size_t size;
    };
    int send_labelled (void *socket, label before, std::size_t size)
    {
        std::array<zlink_msg_t, 2> parts;
        if (zlink_msg_init_buffer (&parts[0], before.bytes, before.size) != 0)
            return -1;
        if (zlink_msg_init_buffer (&parts[1], large_.data (), size) != 0) {
            zlink_msg_close (&parts[0]);
            errno = ENOMEM;
            return -1;
        }
        const int answer = zlink_sendv (socket, parts.data (), parts.size (), 0);
        const int error = errno;
        expect ("what a failed sendv leaves", answer >= 0 || zlink_msg_size (&parts[1]) == size);
        for (zlink_msg_t &each : parts)
            zlink_msg_close (&each);
        errno = error;
        return answer;
    }
    // Whether the last part has the tag.
    template <class... Errors> taken receive_whole (void *socket, int flags, Errors... may_answer)
    {
        std::array<zlink_msg_t, 3> parts;
        std::size_t count = parts.size ();
        for (zlink_msg_t &each : parts)
            zlink_msg_init (&each);
        taken what = taken::nothing;
        if (attempt (
              "recvv", [&] { return zlink_recvv (socket, parts.data (), &count, flags); }, EAGAIN,
              may_answer...)
            >= 0) {
            zlink_msg_t &last = parts[count - 1];
            what = is_tagged (zlink_msg_data (&last), zlink_msg_size (&last)) ? taken::whole : taken::stale;
        }
        for (zlink_msg_t &each : parts)
            zlink_msg_close (&each);
        return what;
    }
    // The same part by part: the others do not get lost when one is refused.
    taken receive_parts (void *socket)
    {
        std::array<char, 64> text{};
        const auto next = [&] { return zlink_recv (socket, text.data (), text.size (), 0); };
        int size = attempt ("recv", next, EAGAIN);
        if (size < 0)
            return taken::nothing;
        while (get (socket, ZMQ_RCVMORE) != 0)
            size = insist ("recv", next);
        return is_tagged (text.data (), std::min<std::size_t> (size, text.size ())) ? taken::whole
                                                                                    : taken::stale;
    }
    void clear (void *socket)
    {
        while (receive_whole (socket, ZLINK_DONTWAIT) != taken::nothing)
            ++arrived_;
    }
    std::uint64_t dropped (void *socket)
    {
        zlink_statistics_t all{};
        insist ("statistics", [&] { return zlink_statistics (socket, &all); });
        return all.dropped;
    }
    // Where no connection takes them along: what was accepted has come or is counted.
    void account ()
    {
        if (std::strncmp (endpoint_, "inproc:", 7) != 0)
            return;
        clear (near_);
        clear (far_);
        expect ("the account", accepted_ <= arrived_ + dropped (near_) + dropped (far_));
    }
};

class topics_script : talk_script
{
  public:
    using talk_script::talk_script;

    void play (const char *remote)
    {
        start (ZLINK_XPUB, ZLINK_SUB);
        publisher_ = near_;
        subscriber_ = far_;
        converse (remote);
    }
    // The same, and the publisher connects.
    void play_met (const char *remote)
    {
        start (ZLINK_SUB, ZLINK_XPUB);
        publisher_ = far_;
        subscriber_ = near_;
        converse (remote);
    }
    // The same from those who ask by messages.
    void play_asked (const char *remote)
    {
        start (ZLINK_PUB, ZLINK_XSUB);
        publisher_ = near_;
        subscriber_ = far_;
        link (remote);
        say ('\1', "0");
        say ('\1', long_topic);
        say ('\0', long_topic);
        publish ();
        end ();
    }

  private:
    static constexpr const char *long_topic = "a topic of more letters than a string keeps beside itself";

    void converse (const char *remote)
    {
        choose (ZLINK_SUBSCRIBE, "0");  // as the tags begin
        link (remote);
        publish ();
        choose (ZLINK_SUBSCRIBE, long_topic);
        choose (ZLINK_UNSUBSCRIBE, long_topic);
        choose (ZLINK_UNSUBSCRIBE, "0");
        choose (ZLINK_SUBSCRIBE_PATTERN, "0*");
        publish_small ("publish to a pattern");
        choose (ZLINK_UNSUBSCRIBE_PATTERN, "0*");
        end ();
    }
    void choose (int option, const char *topic)
    {
        insist ("setsockopt",
                [&] { return zlink_setsockopt (subscriber_, option, topic, std::strlen (topic)); });
    }
    void say (char what, const char *topic)
    {
        std::array<char, 80> text{what};
        std::memcpy (text.data () + 1, topic, std::strlen (topic));
        insist ("send", [&] { return zlink_send (subscriber_, text.data (), 1 + std::strlen (topic), 0); });
    }
    void publish_small (const char *step)
    {
        exchange (
          step, [&] { return zlink_send (publisher_, tag_.data (), tag_bytes, 0); },
          [&] { return receive_bytes (subscriber_); });
    }
    void publish ()
    {
        const auto wait = [&] { return zlink_wait_subscribers (publisher_, 1, patience_ms); };
        expect ("wait_subscribers",
                eventually ([&] { return attempt ("wait_subscribers", wait, ETIMEDOUT) == 0; }));
        publish_small ("publish");
        exchange (
          "publish large", [&] { return zlink_send (publisher_, large_.data (), large_.size (), 0); },
          [&] { return receive_message (subscriber_); });
        exchange (
          "publish parts",
          [&] {
              return send_labelled (publisher_, {tag_.data (), tag_bytes}, 5000);
          },
          [&] { return receive_whole (subscriber_, 0); });
    }

    void *publisher_ = nullptr;
    void *subscriber_ = nullptr;
};

class names_script : talk_script
{
  public:
    using talk_script::talk_script;

    void play (const char *remote)
    {
        start (ZLINK_ROUTER, ZLINK_DEALER);
        set (near_, ZLINK_ROUTER_MANDATORY, 1);
        name_far ();
        link (remote);
        exchange (
          "to the router", [&] { return zlink_send (far_, tag_.data (), tag_bytes, 0); },
          [&] { return receive_parts (near_); });
        for (const std::size_t size : {std::size_t{20}, large_.size ()}) {
            exchange (
              "to the router, labelled",
              [&] {
                  return send_labelled (far_, {"", 0}, size);
              },
              [&] { return receive_whole (near_, 0); });
            exchange (
              "to the dealer",
              [&] {
                  return send_labelled (near_, {"a longer routing id", 19}, size);
              },
              [&] { return receive_bytes (far_); }, EHOSTUNREACH);
        }
        account ();
        end ();
    }
};

class requests_script : talk_script
{
  public:
    using talk_script::talk_script;

    void play (const char *remote)
    {
        start (ZLINK_REP, ZLINK_REQ);
        // What was lost with its connection may be asked again.
        set (far_, ZLINK_REQ_RELAXED, 1);
        set (far_, ZLINK_REQ_CORRELATE, 1);
        link (remote);
        for (const std::size_t size : {tag_bytes, large_.size ()})
            for (int i = 0; i < 2; ++i)
                exchange (
                  "request", [&] { return zlink_send (far_, large_.data (), size, 0); },
                  [&] { return answer (size); });
        end ();
    }

  private:
    taken answer (std::size_t size)
    {
        if (receive_bytes (near_) != taken::nothing)
            reply (size);
        // Who answers one request behind would stay behind.
        while (behind_ && receive_bytes (near_) != taken::nothing)
            reply (size);
        const taken came = receive_whole (far_, 0, EFSM);  // nothing was asked
        behind_ = came != taken::whole;
        return came;
    }
    void reply (std::size_t size)
    {
        insist ("reply", [&] { return zlink_send (near_, large_.data (), size, 0); });
    }

    bool behind_ = false;
};

class packets_script : talk_script
{
  public:
    using talk_script::talk_script;

    void play (const char *remote)
    {
        start (ZLINK_STREAM, ZLINK_STREAM);
        link (remote);
        for (const std::size_t size : {std::size_t{20}, large_.size ()})
            for (const auto &[from, to] : {std::pair (far_, near_), std::pair (near_, far_)})
                exchange (
                  "packet", [&] { return send_packet (from, size); }, [&] { return receive_whole (to, 0); },
                  EHOSTUNREACH, EINVAL);
        end ();
    }

  private:
    // To its only peer; EINVAL: it has none. One that is gone is its peer until
    // all is read that came from there.
    int send_packet (void *from, std::size_t size)
    {
        clear (from);
        zlink_routing_id_t who{};
        if (zlink_socket_peer_routing_id (from, 0, &who) != 0)
            return -1;
        return send_labelled (from, {who.data, who.size}, size);
    }
};

class datagrams_script : talk_script
{
  public:
    using talk_script::talk_script;

    void play (const char *remote)
    {
        start (ZLINK_DISH, ZLINK_RADIO);
        insist ("join", [&] { return zlink_join (near_, ""); });
        link (remote);
        for (const std::size_t size : {20, 4000})
            exchange (
              "datagram", [&] { return zlink_send (far_, large_.data (), size, 0); },
              [&] { return receive_whole (near_, 0); });
        end ();
    }
};

}  // namespace

void play_topics (const char *endpoint, const char *remote) { topics_script (endpoint).play (remote); }

void play_met (const char *endpoint, const char *remote) { topics_script (endpoint).play_met (remote); }

void play_asked (const char *endpoint, const char *remote) { topics_script (endpoint).play_asked (remote); }

void play_names (const char *endpoint, const char *remote) { names_script (endpoint).play (remote); }

void play_requests (const char *endpoint, const char *remote) { requests_script (endpoint).play (remote); }

void play_packets (const char *endpoint, const char *remote) { packets_script (endpoint).play (remote); }

void play_datagrams (const char *endpoint, const char *remote) { datagrams_script (endpoint).play (remote); }

}  // namespace zlink::test
