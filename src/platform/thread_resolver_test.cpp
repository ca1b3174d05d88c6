#include "platform/thread_resolver.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "platform/system_threads.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

using base::errc;

// A transport whose lookups wait for the test.
class slow_names final : public base::transport
{
  public:
    [[nodiscard]] std::string_view scheme () const noexcept override { return "slow"; }
    base::result<void> check_remote (std::string_view, const base::stream_options &) noexcept override
    {
        return {};
    }
    [[nodiscard]] bool must_ask (std::string_view, const base::stream_options &) const noexcept override
    {
        return true;
    }
    base::resolve_result resolve (std::string_view address,
                                  const base::stream_options &options) noexcept override
    {
        ++asked;
        EXPECT_TRUE (test_tools::eventually ([&] { return open.load (); }));
        base::resolve_result out;
        out.addresses.push_back ({std::string (address) + (options.ipv6 ? "/6" : "/4"), {}});
        return out;
    }
    base::result<std::unique_ptr<base::stream>> dial (const base::address &,
                                                      const base::stream_options &) noexcept override
    {
        return errc::not_supported;
    }
    base::result<std::unique_ptr<base::listener>> listen (std::string_view,
                                                          const base::stream_options &) noexcept override
    {
        return errc::not_supported;
    }

    std::atomic<int> asked{0};
    std::atomic<bool> open{false};
};

class no_threads final : public base::thread_factory
{
  public:
    base::result<std::unique_ptr<base::joinable>> start (const base::thread_options &,
                                                         std::function<void ()>) noexcept override
    {
        return errc::no_memory;
    }
};

TEST (thread_resolver, answers_in_order_without_holding_the_caller)
{
    slow_names names;
    system_threads threads;
    thread_resolver resolver (threads);
    std::vector<std::string> answers;
    std::atomic<int> done{0};
    for (const char *address : {"one", "two", "three"})
        resolver.submit (names, address, {}, [&] (const base::resolve_result &found) {
            answers.push_back (found.addresses.front ().text);
            ++done;
        });
    EXPECT_EQ (done, 0);  // nothing can have been answered yet
    names.open = true;
    ASSERT_TRUE (test_tools::eventually ([&] { return done == 3; }));
    EXPECT_EQ (answers, (std::vector<std::string>{"one/4", "two/4", "three/4"}));
}

TEST (thread_resolver, waits_for_the_running_lookup_and_drops_the_rest)
{
    slow_names names;
    system_threads threads;
    std::atomic<int> done{0};
    {
        thread_resolver resolver (threads);
        for (int i = 0; i < 5; ++i)
            resolver.submit (names, "x", {}, [&] (const base::resolve_result &) { ++done; });
        ASSERT_TRUE (test_tools::eventually ([&] { return names.asked == 1; }));
        names.open = true;
    }
    EXPECT_GE (done, 1);
    EXPECT_EQ (done, names.asked);
}

TEST (thread_resolver, an_unused_one_has_no_thread)
{
    no_threads threads;
    const thread_resolver resolver (threads);
}

TEST (thread_resolver, tells_when_there_is_no_thread)
{
    slow_names names;
    no_threads threads;
    thread_resolver resolver (threads);
    errc told = errc::ok;
    resolver.submit (names, "x", {}, [&] (const base::resolve_result &found) { told = found.failure.code; });
    EXPECT_EQ (told, errc::no_memory);
    EXPECT_EQ (names.asked, 0);
}

}  // namespace
}  // namespace zlink::platform
