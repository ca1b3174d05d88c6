#include "api/forked.hpp"

#include "api/utility_handle.hpp"
#include "platform/fork_generation.hpp"
#include "socket/facade.hpp"
#include "transport/tls.hpp"

namespace zlink::api {

namespace {

void forsake_parent () noexcept
{
    socket::forsake_parent ();
    forsake_dead_records ();
    transport::forsake_tls ();
}

}  // namespace

void prepare_for_forks () noexcept { platform::set_child_handler (forsake_parent); }

std::uint32_t process_generation () noexcept { return platform::fork_generation (); }

}  // namespace zlink::api
