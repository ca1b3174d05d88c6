// A provider of "calc" in a process of its own: provider_process ENDPOINT [REGISTRY].
// Answers each request with its parts until it is killed; registered there if a registry
// is named. Asked to go (SIGTERM) it lets what it has come to its end, and goes.
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "service/receiver.hpp"
#include "service/registered.hpp"
#include "service/registration.hpp"
#include "transport/real_world.hpp"

namespace {

using namespace zlink;

constexpr base::time_ns drain_max_ns = 30 * base::ns_per_s;

// The signal is kept from every thread that this one starts, and waited for.
sigset_t keep_sigterm () noexcept
{
    sigset_t asked;
    ::sigemptyset (&asked);
    ::sigaddset (&asked, SIGTERM);
    ::pthread_sigmask (SIG_BLOCK, &asked, nullptr);
    return asked;
}

void go_when_asked (const sigset_t &asked, base::world &world, service::receiver &at) noexcept
{
    int which = 0;
    ::sigwait (&asked, &which);
    (void)at.drain (world.time.now_ns () + drain_max_ns);
    at.close ();
}

bool offer (service::receiver &at,
            std::string_view endpoint,
            const std::shared_ptr<service::registration> &books,
            std::string_view where)
{
    if (!at.bind (endpoint).ok ())
        return false;
    const bool found = books == nullptr
                       || (books->connect_registry (where).ok ()
                           && at.register_by (std::make_shared<service::registered> (books)).ok ());
    return found && at.offer ("calc", books == nullptr ? std::string_view () : endpoint, 1).ok ();
}

}  // namespace

int main (int count, char **words)
{
    if (count != 2 && count != 3)
        return EXIT_FAILURE;
    const sigset_t asked = keep_sigterm ();
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    void *const context = socket::context_open (world, socket::header::zlink, nullptr).value ();
    // What is opened in it goes first, the world last.
    const std::shared_ptr<void> open (context, [] (void *of) { (void)socket::context_terminate (of); });
    const auto at = service::receiver::open (world, context, {}).value ();
    const auto loop = service::service_loop::start (world, context).value ();
    std::shared_ptr<service::registration> books;
    if (count == 3)
        books = service::registration::open (world, context, loop).value ();
    if (!offer (*at, words[1], books, words[count - 1]))
        return EXIT_FAILURE;
    std::thread leaving ([&] { go_when_asked (asked, world, *at); });
    service::inquiry next;
    while (at->receive (next, base::never_ns).ok ())
        (void)at->reply (next, next.parts.all ());
    leaving.join ();
    if (books != nullptr)
        books->close ();
    return EXIT_SUCCESS;
}
