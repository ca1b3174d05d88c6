// A large body on its way into the receiver's own buffer. The pieces are in_buffer's,
// with tests of their own.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/scripted_world.hpp"
#include "wire/test_bytes.hpp"

namespace zlink::engine {
namespace {

struct landings : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref ours = socket_core::create (of, test::pull_traits (), {}).value ();
    std::shared_ptr<test::script> peer;
    std::string body = std::string (3 * landing_bytes_min, 'b');

    landings ()
    {
        body.front () = 'a';
        body.back () = 'z';
        EXPECT_TRUE (of->admit (ours, 1).ok ());
        EXPECT_TRUE (ours.slot->bind (ours.generation, "script://here").ok ());
        peer = around.peer (wire::test::greeting_of (3, 1) + wire::test::ready_of ("PUSH"));
        around.settle (*of);
    }
    ~landings () override
    {
        EXPECT_TRUE (ours.slot->close (ours.generation).ok ());
        around.settle (*of);
    }
    // Into a buffer that has room for it, gone behind the call; empty: nothing yet.
    [[nodiscard]] std::string receive ()
    {
        std::vector<std::byte> memory (body.size () + 100);
        const io_count got = ours.slot->receive (ours.generation, memory, send_dont_wait);
        return got.ok () ? std::string (base::as_text (base::bytes_view (memory).first (got.size ()))) : "";
    }
};

TEST_F (landings, that_begin_and_get_no_further_keep_what_came)
{
    const std::string octets = wire::test::frame (0, body);
    const std::size_t half = octets.size () / 2;
    peer->says += octets.substr (0, half);
    EXPECT_EQ (receive (), "");
    peer->rumoured = true;
    EXPECT_EQ (receive (), "") << "there was nothing to read";
    EXPECT_FALSE (peer->rumoured);
    peer->says += octets.substr (half);
    EXPECT_TRUE (receive () == body);
    EXPECT_EQ (peer->said, peer->says.size ());
    EXPECT_TRUE (peer->open);
}

}  // namespace
}  // namespace zlink::engine
