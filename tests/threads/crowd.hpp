// What the thread tests share: every test over every transport, dice, a crowd
// of workers.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/places.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

// The same numbers in every run; each thread has its own. Of a run whose tests
// are shuffled it is the shuffle's seed, which such a run prints, that says which.
class dice
{
  public:
    explicit dice (std::uint32_t seed) : state_ ((seed + run_seed ()) * 2654435761u + 1) {}
    std::uint32_t roll (std::uint32_t sides)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_ % sides;
    }

  private:
    // 0 where nothing is shuffled. Times a number that no test counts to.
    static std::uint32_t run_seed ()
    {
        return static_cast<std::uint32_t> (testing::UnitTest::GetInstance ()->random_seed ()) * 100'003u;
    }

    std::uint32_t state_;
};

struct crowd_transport
{
    const char *name;
    std::string (*place) ();
    // By its name in test names, not by its octets.
    friend void PrintTo (const crowd_transport &of, std::ostream *to) { *to << of.name; }
};

class crowd : public testing::TestWithParam<crowd_transport>
{
  protected:
    [[nodiscard]] static std::string place () { return GetParam ().place (); }
    [[nodiscard]] socket open (int type) { return {own, type}; }

    context own;
};

[[nodiscard]] inline auto every_transport ()
{
    return testing::Values (crowd_transport{"tcp", tcp_place}, crowd_transport{"ipc", ipc_place},
                            crowd_transport{"inproc", inproc_place});
}

[[nodiscard]] inline auto every_stream_transport ()
{
    return testing::Values (crowd_transport{"tcp", tcp_place}, crowd_transport{"ipc", ipc_place});
}

[[nodiscard]] inline std::string transport_name (const testing::TestParamInfo<crowd_transport> &of)
{
    return of.param.name;
}

}  // namespace zlink::test
