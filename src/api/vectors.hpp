// zmq_sendiov and zmq_recviov: parts from and into lists of buffers.
#pragma once

#include <cstddef>

namespace zlink::api {

// The layout of POSIX's struct iovec, whose header does not exist everywhere.
struct io_slice
{
    void *base;
    std::size_t size;
};

// With ZMQ_SNDMORE all slices become one message, all or nothing; without, a
// message each. Answers the size of the last.
int send_slices (void *socket, const io_slice *slices, std::size_t count, int flags) noexcept;

// Receives the parts of one message into memory from malloc, which is the
// caller's afterwards, at most *count; the rest stays. Answers how many, and
// so does *count.
int receive_slices (void *socket, io_slice *slices, std::size_t *count, int flags) noexcept;

}  // namespace zlink::api
