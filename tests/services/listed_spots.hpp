// Nodes of SPOT that registries, or what stands in for one, tell of one another; through
// zlink.h.
#pragma once

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "zlink/zlink.h"

namespace zlink::service::test {

inline constexpr const char *listed_service = "spots";
inline constexpr const char *listed_topic = "t";
inline constexpr int listed_watchdog_ms = 60'000;

// What is listed there, of those registries alone.
class spot_watcher
{
  public:
    spot_watcher (void *context, const std::vector<std::string> &registries)
      : handle_ (zlink_discovery_new_typed (context, ZLINK_SERVICE_SPOT))
    {
        EXPECT_EQ (zlink_discovery_subscribe (handle_, listed_service), 0);
        for (const std::string &each : registries)
            EXPECT_EQ (zlink_discovery_connect_registry (handle_, each.c_str ()), 0);
    }
    ~spot_watcher () { EXPECT_EQ (zlink_discovery_destroy (&handle_), 0); }
    spot_watcher (const spot_watcher &) = delete;
    spot_watcher &operator= (const spot_watcher &) = delete;

    [[nodiscard]] void *handle () const { return handle_; }
    void wait (std::size_t nodes) const
    {
        ASSERT_EQ (zlink_discovery_wait (handle_, listed_service, nodes, listed_watchdog_ms), 0);
    }
    [[nodiscard]] int count () const { return zlink_discovery_receiver_count (handle_, listed_service); }
    // Milliseconds since what is known was known to be so; -1: never.
    [[nodiscard]] std::int64_t age_ms () const
    {
        zlink_discovery_status_t now{};
        EXPECT_EQ (zlink_discovery_status (handle_, listed_service, &now), 0);
        return now.age_ms;
    }

  private:
    void *handle_;
};

// A node that registers, and reads whoever else has.
class listed_spot
{
  public:
    listed_spot (void *context,
                 const std::vector<std::string> &registers_at,
                 const std::vector<std::string> &looks_at)
      : watcher_ (context, looks_at), node_ (zlink_spot_node_new (context)),
        pub_ (zlink_spot_pub_new (node_)), sub_ (zlink_spot_sub_new (node_))
    {
        EXPECT_EQ (zlink_spot_sub_subscribe (sub_, listed_topic), 0);
        EXPECT_EQ (zlink_spot_node_bind (node_, "tcp://127.0.0.1:*"), 0);
        for (const std::string &each : registers_at)
            EXPECT_EQ (zlink_spot_node_connect_registry (node_, each.c_str ()), 0) << zlink_strerror (errno);
        EXPECT_EQ (zlink_spot_node_register (node_, listed_service, nullptr), 0);
        EXPECT_EQ (zlink_spot_node_set_discovery (node_, watcher_.handle (), listed_service), 0);
    }
    ~listed_spot ()
    {
        EXPECT_EQ (zlink_spot_sub_destroy (&sub_), 0);
        EXPECT_EQ (zlink_spot_pub_destroy (&pub_), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&node_), 0);
    }
    listed_spot (const listed_spot &) = delete;
    listed_spot &operator= (const listed_spot &) = delete;

    [[nodiscard]] void *node () const { return node_; }
    [[nodiscard]] void *publisher () const { return pub_; }
    [[nodiscard]] const spot_watcher &watcher () const { return watcher_; }
    void wait_read_by (std::size_t others) const
    {
        ASSERT_EQ (zlink_spot_node_wait (node_, others, listed_watchdog_ms), 0) << zlink_strerror (errno);
    }
    void publish (std::string_view text) const
    {
        ASSERT_EQ (zlink_spot_pub_send (pub_, listed_topic, text.data (), text.size ()), 0);
    }
    [[nodiscard]] std::string next (int timeout_ms = listed_watchdog_ms) const
    {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        if (zlink_spot_sub_next (sub_, &got, timeout_ms) != 0)
            return "error " + std::to_string (zlink_errno ());
        if (got.gap != ZLINK_SPOT_GAP_NONE)
            return "gap " + std::to_string (got.gap);
        return {static_cast<const char *> (got.body), got.body_size};
    }

  private:
    const spot_watcher watcher_;
    void *node_, *pub_, *sub_;
};

using listed_spots = std::vector<std::unique_ptr<listed_spot>>;

// All read one another; what each says all hear once, and nothing is missing.
inline void meet (const listed_spots &all, const std::string &about)
{
    for (const auto &each : all)
        each->wait_read_by (all.size () - 1);
    for (std::size_t i = 0; i < all.size (); ++i) {
        const std::string text = about + ", from " + std::to_string (i);
        all[i]->publish (text);
        for (const auto &each : all)
            ASSERT_EQ (each->next (), text);
    }
    for (const auto &each : all)
        ASSERT_EQ (each->next (0), "error " + std::to_string (EAGAIN));
}

}  // namespace zlink::service::test
