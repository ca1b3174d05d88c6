// Polls over what only the machine's own kernel has: pipes and files.
#include <fcntl.h>
#include <unistd.h>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct kernel_polling : conformance
{
};

TEST_F (kernel_polling, descriptors_alone_and_their_errors)
{
    int ends[2] = {-1, -1};
    ASSERT_EQ (::pipe (ends), 0);
    zmq_pollitem_t items[] = {{nullptr, ends[0], ZMQ_POLLIN, 0},
                              {nullptr, ends[1], ZMQ_POLLOUT | ZMQ_POLLERR, 0}};
    EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 1);
    EXPECT_EQ (items[0].revents, 0);
    EXPECT_EQ (items[1].revents, ZMQ_POLLOUT);
    ::close (ends[0]);
    EXPECT_EQ (zmq_poll (&items[1], 1, watchdog_ms), 1);
    EXPECT_NE (items[1].revents & ZMQ_POLLERR, 0);
    ::close (ends[1]);
}

// Files are always ready; no set of the kernel takes them.
TEST_F (kernel_polling, the_descriptor_of_a_poller_stays_readable_for_a_file)
{
    socket pull = open (ZMQ_PULL);
    void *poller = zmq_poller_new ();
    ASSERT_EQ (zmq_poller_add (poller, pull, nullptr, ZMQ_POLLIN), 0);
    int handle = -1;
    ASSERT_EQ (zmq_poller_fd (poller, &handle), 0);
    const int file = ::open ("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ (zmq_poller_add_fd (poller, file, nullptr, ZMQ_POLLIN), 0);
    zmq_poller_event_t event{};
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE (is_readable (handle));
        EXPECT_EQ (zmq_poller_wait (poller, &event, 0), 0);
        EXPECT_EQ (event.fd, file);
    }
    ASSERT_EQ (zmq_poller_modify_fd (poller, file, 0), 0);
    EXPECT_TRUE (
      eventually ([&] { return zmq_poller_wait (poller, &event, 0) != 0 && !is_readable (handle); }));
    ASSERT_EQ (zmq_poller_remove_fd (poller, file), 0);
    ::close (file);
    EXPECT_EQ (zmq_poller_destroy (&poller), 0);
}

}  // namespace
}  // namespace zlink::test
