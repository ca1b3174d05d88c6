// Endpoints as a whole, in a world that has no transport but inproc. The input
// is a list of them, NULs between, with who binds and who connects.
//
// Promised: no text ends the process; what was attached can be detached once;
// what was not attached cannot.
#include <array>
#include <string>

#include "base/fuzz_target.hpp"
#include "engine/test_world.hpp"
#include "socket/facade.hpp"

namespace zlink::fuzz {
namespace {

using base::errc;

void *must (const base::result<void *> &made)
{
    require (made.ok ());
    return made.value ();
}

void attach_and_detach (void *own, bool binds, std::string_view text)
{
    const auto made = binds ? socket::bind (own, text) : socket::connect (own, text);
    require (!made.ok () || text.starts_with ("inproc://"));
    const auto undo = binds ? socket::unbind (own, text) : socket::disconnect (own, text);
    require (undo.ok () == made.ok ());
    require (!(binds ? socket::unbind (own, text) : socket::disconnect (own, text)).ok ());
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    zlink::engine::test::quiet_world around;
    void *const context =
      must (zlink::socket::context_open (around.world (), zlink::socket::header::zlink, nullptr));
    const std::array<void *, 2> own = {must (zlink::socket::open (context, 0)),
                                       must (zlink::socket::open (context, 5))};
    std::string_view rest = zlink::base::as_text (input_of (data, size));
    while (!rest.empty ()) {
        const unsigned choice = static_cast<unsigned char> (rest.front ());
        const std::string_view text = rest.substr (1, rest.find ('\0', 1) - 1);
        attach_and_detach (own[choice & 1], (choice & 2) != 0, text);
        rest.remove_prefix (std::min (rest.size (), text.size () + 2));
    }
    for (void *const each : own)
        require (zlink::socket::close (each).ok ());
    require (zlink::socket::context_terminate (context, 0).ok ());
    return 0;
}
