#include "tools/zlink/line_writer.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace zlink::tool {

namespace {

constexpr std::size_t waiting_max = 10'000;
constexpr std::chrono::seconds end_limit{1};

// "2026-01-02T03:04:05.678Z "
std::string time_mark ()
{
    timespec now{};
    clock_gettime (CLOCK_REALTIME, &now);
    tm parts{};
    gmtime_r (&now.tv_sec, &parts);
    std::array<char, 32> text{};
    std::strftime (text.data (), text.size (), "%Y-%m-%dT%H:%M:%S", &parts);
    return fmt::format ("{}.{:03}Z ", text.data (), now.tv_nsec / 1'000'000);
}

}  // namespace

line_writer::line_writer () { std::thread (work, desk_).detach (); }

line_writer::~line_writer ()
{
    std::unique_lock guard (desk_->lock);
    desk_->ends = true;
    desk_->news.notify_all ();
    desk_->news.wait_for (guard, end_limit, [this] { return desk_->has_ended; });
}

void line_writer::write (const std::string &line)
{
    {
        const std::lock_guard guard (desk_->lock);
        if (desk_->waiting.size () < waiting_max)
            desk_->waiting.push_back (time_mark () + line + '\n');
        else
            ++desk_->lost;
    }
    desk_->news.notify_all ();
}

void line_writer::work (const std::shared_ptr<desk> &at)
{
    std::unique_lock guard (at->lock);
    for (;;) {
        at->news.wait (guard, [&at] { return at->ends || !at->waiting.empty (); });
        const std::deque<std::string> lines = std::exchange (at->waiting, {});
        const std::size_t lost = std::exchange (at->lost, 0);
        if (lines.empty ())
            break;
        guard.unlock ();
        for (const std::string &each : lines)
            std::fputs (each.c_str (), stderr);
        if (lost != 0)
            std::fputs ((time_mark () + fmt::format ("lost lines={}\n", lost)).c_str (), stderr);
        guard.lock ();
    }
    at->has_ended = true;
    at->news.notify_all ();
}

}  // namespace zlink::tool
