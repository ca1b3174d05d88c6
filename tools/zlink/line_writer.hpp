// Lines with their times on standard error, by a thread of its own: who writes one never
// waits for whoever reads them. What nobody reads is counted and dropped.
//
// Thread rule: any thread. Blocking: the end, until what is written has gone out, for a
// second at most.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace zlink::tool {

class line_writer
{
  public:
    line_writer ();
    ~line_writer ();
    line_writer (const line_writer &) = delete;
    line_writer &operator= (const line_writer &) = delete;

    // Without an end of line.
    void write (const std::string &line);

  private:
    struct desk
    {
        std::mutex lock;  // of all below
        std::condition_variable news;
        std::deque<std::string> waiting;
        std::size_t lost = 0;
        bool ends = false;
        bool has_ended = false;
    };
    static void work (const std::shared_ptr<desk> &at);

    const std::shared_ptr<desk> desk_ = std::make_shared<desk> ();
};

}  // namespace zlink::tool
