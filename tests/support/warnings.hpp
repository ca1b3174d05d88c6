// The warnings of this process, for tests: collected while an object lives,
// standard error's again afterwards. One at a time.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/sockets.hpp"

namespace zlink::test {

struct said_line
{
    int severity = 0;
    std::string text;
    std::string about;
};

class heard_warnings
{
  public:
    // meanwhile is called for each of them, where it is said.
    explicit heard_warnings (std::function<void ()> meanwhile = {})
    {
        const std::lock_guard hold (all ().lock);
        all ().lines.clear ();
        all ().meanwhile = std::move (meanwhile);
        EXPECT_EQ (zlink_set_log (take, &all ()), 0);
    }
    ~heard_warnings () { EXPECT_EQ (zlink_set_log (nullptr, nullptr), 0); }
    heard_warnings (const heard_warnings &) = delete;
    heard_warnings &operator= (const heard_warnings &) = delete;

    // The first that says so, or an empty one when none comes in time.
    [[nodiscard]] static said_line find (std::string_view text)
    {
        said_line found;
        (void)eventually ([&] { return look (text, found); });
        return found;
    }
    [[nodiscard]] static bool look (std::string_view text, said_line &found)
    {
        const std::lock_guard hold (all ().lock);
        for (const said_line &each : all ().lines)
            if (each.text.find (text) != std::string::npos) {
                found = each;
                return true;
            }
        return false;
    }
    [[nodiscard]] static bool none ()
    {
        const std::lock_guard hold (all ().lock);
        return all ().lines.empty ();
    }

  private:
    // Lives for ever, as a callback's hint must.
    struct state
    {
        std::mutex lock;
        std::vector<said_line> lines;
        std::function<void ()> meanwhile;
    };
    static state &all ()
    {
        static auto *const only = new state;
        return *only;
    }
    static void take (int severity, const char *text, const char *about, void *hint)
    {
        auto &to = *static_cast<state *> (hint);
        std::function<void ()> meanwhile;
        {
            const std::lock_guard hold (to.lock);
            meanwhile = to.meanwhile;
        }
        if (meanwhile)
            meanwhile ();
        const std::lock_guard hold (to.lock);
        to.lines.push_back ({severity, text, about});
    }
};

}  // namespace zlink::test
