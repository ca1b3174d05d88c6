#include "platform/socket_stream.hpp"

#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "platform/host_lookup.hpp"
#include "platform/socket_listener.hpp"
#include "platform/socket_setup.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::bytes_span;
using base::bytes_view;
using base::errc;

// Both kinds of socket keep the same promises.
class socket_stream_test : public ::testing::TestWithParam<address_family>
{
  protected:
    void SetUp () override
    {
        const bool local = GetParam () == address_family::local;
        auto listening = local ? listen_local ("*", "ipc", {})
                               : listen_at (numeric_address ("127.0.0.1", false).value (), "tcp", {});
        ASSERT_TRUE (listening);
        listener_ = std::move (listening.value ());
        at_ = own_address (listener_->handle ());
        auto dialled = socket_stream::dial (local ? "ipc" : "tcp", at_, {}, {});
        ASSERT_TRUE (dialled);
        client_ = std::move (dialled.value ());
        server_ = test_tools::accept (*listener_);
        ASSERT_TRUE (server_);
        ASSERT_TRUE (test_tools::wait_ready (client_->handle (), base::interest_write));
        ASSERT_TRUE (client_->finish_connect ());
    }

    // Writes until the kernel takes no more; how many bytes it took.
    static std::size_t fill (base::stream &to)
    {
        const std::vector<std::byte> chunk (65536);
        const bytes_view slice (chunk);
        std::size_t total = 0;
        for (;;) {
            const auto wrote = to.write ({&slice, 1});
            if (!wrote) {
                EXPECT_EQ (wrote.code (), errc::would_block);
                return total;
            }
            EXPECT_GT (wrote.value (), 0U);
            total += wrote.value ();
        }
    }

    static std::string read_some (base::stream &from)
    {
        EXPECT_TRUE (test_tools::wait_ready (from.handle (), base::interest_read));
        std::array<std::byte, 4096> room;
        const bytes_span slice (room);
        const auto got = from.read ({&slice, 1});
        EXPECT_TRUE (got);
        return got ? std::string (base::as_text ({room.data (), got.value ()})) : "";
    }

    static void write_all (base::stream &to, std::string_view text)
    {
        const bytes_view slice = base::as_bytes (text);
        EXPECT_EQ (to.write ({&slice, 1}).value (), text.size ());
    }

    std::unique_ptr<base::listener> listener_;
    socket_address at_;
    std::unique_ptr<base::stream> client_;
    std::unique_ptr<base::stream> server_;
};

INSTANTIATE_TEST_SUITE_P (kinds,
                          socket_stream_test,
                          ::testing::Values (address_family::v4, address_family::local));

TEST_P (socket_stream_test, says_who_is_there)
{
    const bool local = GetParam () == address_family::local;
    const std::string us = "localhost:" + std::to_string (::getuid ()) + ":" + std::to_string (::getgid ())
                           + ":" + std::to_string (::getpid ());
    for (const base::stream *each : {client_.get (), server_.get ()})
        EXPECT_EQ (each->peer_address (), local ? us : "127.0.0.1");
}

TEST_P (socket_stream_test, one_slice_each_way)
{
    write_all (*client_, "hello");
    EXPECT_EQ (read_some (*server_), "hello");
    write_all (*server_, "world");
    EXPECT_EQ (read_some (*client_), "world");
}

TEST_P (socket_stream_test, slices_are_gathered_and_scattered_in_order)
{
    const std::array out{base::as_bytes ("ab"), base::as_bytes (""), base::as_bytes ("cde"),
                         base::as_bytes ("f")};
    EXPECT_EQ (client_->write (out).value (), 6U);
    ASSERT_TRUE (test_tools::wait_ready (server_->handle (), base::interest_read));
    std::array<std::byte, 1> first;
    std::array<std::byte, 10> second;
    const std::array in{bytes_span (first), bytes_span (second)};
    EXPECT_EQ (server_->read (in).value (), 6U);
    EXPECT_EQ (base::as_text (first), "a");
    EXPECT_EQ (base::as_text ({second.data (), 5}), "bcdef");
}

TEST_P (socket_stream_test, more_slices_than_a_call_takes_are_a_prefix)
{
    const std::vector<bytes_view> out (1000, base::as_bytes ("xy"));
    const auto wrote = client_->write (out);
    ASSERT_TRUE (wrote);
    EXPECT_GT (wrote.value (), 0U);
    EXPECT_LE (wrote.value (), 2000U);
    ASSERT_TRUE (test_tools::wait_ready (server_->handle (), base::interest_read));
    std::vector<std::array<std::byte, 1>> rooms (1000);
    const std::vector<bytes_span> in (rooms.begin (), rooms.end ());
    const auto got = server_->read (in);
    ASSERT_TRUE (got);
    EXPECT_GT (got.value (), 0U);
    EXPECT_EQ (base::as_text (rooms.front ()), "x");
}

TEST_P (socket_stream_test, nothing_to_read_would_block)
{
    std::array<std::byte, 8> room;
    const std::array in{bytes_span (room), bytes_span (room)};
    EXPECT_EQ (server_->read (std::span (in).first (1)).code (), errc::would_block);
    EXPECT_EQ (server_->read (in).code (), errc::would_block);
}

TEST_P (socket_stream_test, a_full_kernel_would_block_until_the_peer_reads)
{
    const std::size_t sent = fill (*client_);
    EXPECT_GT (sent, 0U);
    EXPECT_FALSE (client_->wait_writable (0));
    EXPECT_FALSE (client_->wait_writable (base::ns_per_ms));
    EXPECT_TRUE (client_->output_pending ());
    std::vector<std::byte> room (1 << 20);
    const bytes_span in (room);
    std::size_t received = 0;
    while (received < sent) {
        ASSERT_TRUE (test_tools::wait_ready (server_->handle (), base::interest_read));
        const auto got = server_->read ({&in, 1});
        ASSERT_TRUE (got);
        received += got.value ();
    }
    EXPECT_EQ (received, sent);
    EXPECT_TRUE (client_->wait_writable (test_tools::watchdog_ns));
    EXPECT_TRUE (client_->wait_writable (-1));
    EXPECT_TRUE (test_tools::eventually ([&] { return !client_->output_pending (); }));
}

TEST_P (socket_stream_test, ending_the_writing_side_is_read_as_the_end)
{
    write_all (*client_, "last");
    client_->shutdown_write ();
    EXPECT_EQ (read_some (*server_), "last");
    EXPECT_EQ (read_some (*server_), "");  // 0 bytes: the end
    write_all (*server_, "still");
    EXPECT_EQ (read_some (*client_), "still");
    const bytes_view slice = base::as_bytes ("x");
    EXPECT_EQ (client_->write ({&slice, 1}).code (), errc::connection_reset);
}

TEST_P (socket_stream_test, writing_to_a_closed_peer_is_a_value_not_a_signal)
{
    server_.reset ();
    const bytes_view slice = base::as_bytes ("x");
    errc last = errc::ok;
    EXPECT_TRUE (test_tools::eventually ([&] {
        last = client_->write ({&slice, 1}).code ();
        return last != errc::ok;
    }));
    EXPECT_EQ (last, errc::connection_reset);
    EXPECT_TRUE (client_->wait_writable (test_tools::watchdog_ns));  // a write would answer at once
}

TEST_P (socket_stream_test, names)
{
    const bool local = GetParam () == address_family::local;
    EXPECT_EQ (client_->remote_endpoint (), listener_->local_endpoint ());
    EXPECT_EQ (server_->local_endpoint (), listener_->local_endpoint ());
    EXPECT_EQ (server_->remote_endpoint (), client_->local_endpoint ());
    EXPECT_EQ (client_->local_endpoint ().empty (), local);
    const std::string before = client_->remote_endpoint ();
    server_.reset ();
    listener_.reset ();
    EXPECT_EQ (client_->remote_endpoint (), before);  // known even when nobody is there
}

TEST_P (socket_stream_test, nobody_there_is_refused)
{
    listener_.reset ();
    const bool local = GetParam () == address_family::local;
    auto dialled = socket_stream::dial (local ? "ipc" : "tcp", at_, {}, {});
    if (!dialled) {
        EXPECT_EQ (dialled.code (), local ? errc::no_such_file : errc::connection_refused);
        return;
    }
    EXPECT_TRUE (test_tools::eventually (
      [&] { return dialled.value ()->finish_connect ().code () != errc::in_progress; }));
    EXPECT_EQ (dialled.value ()->finish_connect ().code (), errc::connection_refused);
    EXPECT_EQ (dialled.value ()->finish_connect ().code (), errc::connection_refused);  // and stays so
}

TEST_P (socket_stream_test, a_pile_of_dials_leaves_no_descriptor_behind)
{
    const std::size_t before = test_tools::open_descriptors ();
    for (int i = 0; i < 50; ++i) {
        const auto client = socket_stream::dial ("x", at_, {}, {});
        ASSERT_TRUE (client);
        ASSERT_TRUE (test_tools::accept (*listener_));
    }
    EXPECT_EQ (test_tools::open_descriptors (), before);
}

TEST (socket_stream, not_yet_connected_is_in_progress)
{
    auto socket = make_stream_socket (address_family::v4);
    ASSERT_TRUE (socket);
    socket_stream stream (std::move (socket.value ()), "tcp", socket_address::any_v4 (1));
    EXPECT_EQ (stream.finish_connect ().code (), errc::in_progress);
    EXPECT_FALSE (stream.output_pending ());
}

TEST (socket_stream, meeting_itself_is_refused)
{
    // A port that connects to itself: the simultaneous open of one socket.
    auto socket = make_stream_socket (address_family::v4);
    ASSERT_TRUE (socket);
    const int number = socket.value ().get ();
    ASSERT_TRUE (bind_socket (number, numeric_address ("127.0.0.1", false).value ()));
    const socket_address self = own_address (number);
    static_cast<void> (::connect (number, static_cast<const sockaddr *> (self.data ()),
                                  static_cast<socklen_t> (self.size_bytes ())));
    socket_stream stream (std::move (socket.value ()), "tcp", self);
    EXPECT_TRUE (
      test_tools::eventually ([&] { return stream.finish_connect ().code () != errc::in_progress; }));
    EXPECT_EQ (stream.finish_connect ().code (), errc::connection_refused);
}

TEST (socket_stream, a_full_local_queue_is_refused)
{
    base::stream_options options;
    options.backlog = 1;
    const auto listener = listen_local ("*", "ipc", options);
    ASSERT_TRUE (listener);
    const socket_address at = own_address (listener.value ()->handle ());
    std::vector<std::unique_ptr<base::stream>> waiting;
    base::error failure;
    for (int i = 0; i < 10 && failure.code == errc::ok; ++i) {
        auto dialled = socket_stream::dial ("ipc", at, {}, {});
        failure = dialled.failure ();
        if (dialled)
            waiting.push_back (std::move (dialled.value ()));
    }
    EXPECT_EQ (failure.code, errc::connection_refused);
    EXPECT_EQ (failure.os_code, EAGAIN);
}

TEST (socket_stream, endpoint_texts)
{
    EXPECT_EQ (endpoint_text ("tcp", socket_address::any_v6 (5)), "tcp://[::]:5");
    EXPECT_EQ (endpoint_text ("tcp", {}), "");
}

}  // namespace
}  // namespace zlink::platform
