// The thread of a context that does for its services what nobody waits for: it
// waits until a socket of one of them is ready, a deadline has come or somebody
// wakes one, and lets that one go on. With nothing to do it sleeps.
//
// There is one loop for each context that has services. It begins with the first
// object and ends with the last seat; then nothing of it is left in the context.
//
// Order of leaving, for an object with sockets: stop its callers; seat::leave(), behind
// which the loop does not touch it; say farewell on its sockets; close them.
//
// Thread rule: start(), join() and the seats from any thread, with no lock held that
// an object takes in what the loop calls. Blocking: leave() and the end of the last
// seat, until the loop has finished its turn; neither may be called by what the loop
// calls. join() and wake() for want of memory, until the loop has been told.
// Lifetime: the world outlives the loop; its sockets hold the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/threads.hpp"
#include "base/world.hpp"
#include "service/due_heap.hpp"
#include "service/waiting_lock.hpp"
#include "socket/facade.hpp"

namespace zlink::service {

// What an object wants when it has gone on.
struct loop_wish
{
    base::time_ns due_ns = base::never_ns;  // to go on then, at the latest; past: at once
    bool sockets_changed = false;           // it is to be asked for its sockets
};

// How the place begins where the two sockets of a loop meet.
inline constexpr std::string_view loop_place = "inproc://zlink.services.";

// An object that the loop serves. All three run on the loop's thread, no two at a time
// for any objects of the loop, and take the object's own lock themselves. They return
// soon: what they do blocks nowhere, and of much they do a part and want to go on at
// once. The first two may throw std::bad_alloc, and are called again a little later.
class served
{
  public:
    virtual ~served () = default;

    // Appends the sockets to wait for, and for what. What is named and ready has to be
    // taken by advance(), else the loop does not come to rest. One that is closed is
    // left out.
    virtual void sockets (std::vector<socket::poll_item> &wanted) = 0;
    // It has just joined, one of its sockets is ready, its time has come, or somebody woke
    // it; also in vain.
    virtual loop_wish advance (base::time_ns now) = 0;
    // The context is shut down: the loop does not come back. Whoever waits for the object
    // is to be told.
    virtual void ended () noexcept = 0;
};

class service_loop : public std::enable_shared_from_this<service_loop>
{
    struct place;

  public:
    // An object's place in a loop, and what keeps the loop. The loop keeps the object
    // until it leaves; whoever holds the seat leaves before dropping it.
    class seat
    {
      public:
        seat (std::shared_ptr<service_loop> in, std::shared_ptr<place> at) noexcept;
        ~seat ();
        seat (const seat &) = delete;
        seat &operator= (const seat &) = delete;

        // The object goes on soon. Cheap when it is about to anyway.
        void wake () noexcept;
        // Behind it the loop neither calls the object nor looks at its sockets, and has
        // dropped it. A second one does nothing.
        void leave () noexcept;

      private:
        std::shared_ptr<service_loop> loop_;
        std::shared_ptr<place> place_;
    };

    // Why there is no thread, or no socket of its own: no_memory, too_many_sockets,
    // terminated.
    static base::result<std::shared_ptr<service_loop>> start (base::world &world, void *context) noexcept;
    ~service_loop ();
    service_loop (const service_loop &) = delete;
    service_loop &operator= (const service_loop &) = delete;

    // The object is served from now on, and has its seat before. no_memory, terminated: it
    // is dropped, and has none.
    base::result<void> join (std::shared_ptr<served> object, std::unique_ptr<seat> &its) noexcept;

  private:
    explicit service_loop (base::world &world) noexcept
      : world_ (world), set_ (world, socket::poll_set::room::where_waited_for), change_ (world.sleep)
    {
    }
    base::result<void> open (void *context);
    // False: it could not be said.
    bool ring () noexcept;
    void insist () noexcept;

    // --- the loop's thread ---
    void run () noexcept;
    base::errc turn ();
    void seat_newcomers ();
    void leave_places () noexcept;
    void advance_due (base::time_ns now) noexcept;
    base::errc gather ();
    [[nodiscard]] bool is_open (socket::poll_item item) noexcept;
    void take_ready () noexcept;
    [[nodiscard]] bool hear () noexcept;
    void end () noexcept;
    static void dismiss (place &which) noexcept;

    base::world &world_;
    void *ear_ = nullptr;      // of the loop's; readable: somebody rang
    void *knocker_ = nullptr;  // for everybody else
    std::unique_ptr<base::joinable> thread_;

    // --- shared ---
    base::atomic<bool> rung_{false};
    base::atomic<bool> stopping_{false};
    base::exchange_lock lock_;  // of the next two
    bool ended_ = false;
    std::vector<std::shared_ptr<place>> newcomers_;

    // --- the loop's thread's ---
    std::vector<std::shared_ptr<place>> places_;  // by slot; null: free
    due_heap due_;
    std::vector<socket::poll_item> items_;
    std::vector<due_heap::slot> owners_;  // of the item with the same index
    socket::poll_set set_;
    bool must_gather_ = true;  // items_ are not what is wanted any more
    bool doubts_ = false;      // somebody has closed one of them

    bell change_;  // somebody has left
};

}  // namespace zlink::service
