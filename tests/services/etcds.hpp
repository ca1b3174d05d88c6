// An etcd of a test's own: a process with a folder and ports of its own, which can be
// killed and come back with what it had.
#pragma once

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "etcd/curl_poster.hpp"
#include "etcd/gateway_json.hpp"
#include "support/child_process.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"

namespace zlink::service::test {

class own_etcd
{
  public:
    own_etcd ()
    {
        std::array<char, 64> made{"/tmp/zlink_etcd_XXXXXX"};
        folder_ = ::mkdtemp (made.data ());
        client_ = free_address ();
        peer_ = free_address ();
        start ();
    }
    ~own_etcd ()
    {
        kill ();
        std::error_code ignored;
        std::filesystem::remove_all (folder_, ignored);
    }
    own_etcd (const own_etcd &) = delete;
    own_etcd &operator= (const own_etcd &) = delete;

    // Until it answers.
    void start ()
    {
        const std::string client = "http://" + client_, peer = "http://" + peer_;
        std::vector<std::string> words{"etcd",
                                       "--data-dir=" + folder_ + "/data",
                                       "--listen-client-urls=" + client,
                                       "--advertise-client-urls=" + client,
                                       "--listen-peer-urls=" + peer,
                                       "--initial-advertise-peer-urls=" + peer,
                                       "--initial-cluster=default=" + peer,
                                       "--unsafe-no-fsync"};
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init (&files);
        const std::string log = folder_ + "/log";
        posix_spawn_file_actions_addopen (&files, 1, log.c_str (), O_WRONLY | O_CREAT | O_APPEND, 0600);
        posix_spawn_file_actions_adddup2 (&files, 1, 2);
        process_.emplace (words, &files);
        posix_spawn_file_actions_destroy (&files);
        ASSERT_GT (process_->number (), 0) << "there is no etcd: install etcd-server";
        ASSERT_TRUE (zlink::test::eventually (
          [this] { return ask ("/v3/kv/range", etcd::range_request ("a", "b", 0, 1)).status == 200; }));
    }
    void kill () { process_.reset (); }
    // It stands still, with its connections open, and goes on.
    void freeze () const { process_->stop (); }
    void thaw () const { process_->signal (SIGCONT); }

    [[nodiscard]] const std::string &address () const noexcept { return client_; }
    [[nodiscard]] std::string url (const std::string &prefix = "zlink/test") const
    {
        return "etcd://" + client_ + "/" + prefix;
    }
    void put (const std::string &key, const std::string &value)
    {
        const std::string body =
          "{\"key\":\"" + etcd::to_base64 (key) + "\",\"value\":\"" + etcd::to_base64 (value) + "\"}";
        EXPECT_EQ (ask ("/v3/kv/put", body).status, 200);
    }
    std::vector<etcd::record> under (const std::string &prefix)
    {
        const auto read = etcd::read_range (
          ask ("/v3/kv/range", etcd::range_request (prefix + "/", prefix + "0", 0, 0)).body);
        return read ? read->records : std::vector<etcd::record>{};
    }

  private:
    static std::string free_address ()
    {
        const std::string place = zlink::test::tcp_place ();
        return place.substr (place.find ("127."));
    }
    etcd::posted ask (const std::string &path, const std::string &body)
    {
        return poster_->post (client_, path, body, 2 * base::ns_per_s, nullptr);
    }

    std::unique_ptr<etcd::poster> poster_ = etcd::make_curl_poster ();
    std::string folder_, client_, peer_;
    std::optional<zlink::test::child_process> process_;
};

}  // namespace zlink::service::test
