// Forwarding of whole messages between two sockets (zmq_proxy, zmq_device).
//
// Ownership: borrows the sockets and is their only user. Blocking: run()
// blocks until told to stop, the context terminates or a socket is closed. It
// waits for all its sockets at once: whoever has no room, the one who captures
// and the one who asks for figures included, keeps nobody from stopping it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/message.hpp"
#include "base/world.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

// A whole message: as many initialised parts as it has.
class whole_message
{
  public:
    whole_message () = default;
    ~whole_message ();
    whole_message (const whole_message &) = delete;
    whole_message &operator= (const whole_message &) = delete;

    // Takes the next message of a socket; would_block when there is none.
    base::result<void> receive (void *socket);
    // Gives it to a socket; would_block keeps it here.
    base::result<void> send (void *socket, unsigned flags);
    // Replaces the content by another's, whose bodies both then have.
    void copy_from (whole_message &source);
    // Replaces the content by parts of plain bytes.
    base::result<void> assign (std::span<const base::bytes_view> parts);

    [[nodiscard]] std::span<base::message> parts () noexcept { return {slots_.data (), count_}; }
    [[nodiscard]] bool empty () const noexcept { return count_ == 0; }
    [[nodiscard]] std::uint64_t size_bytes () const noexcept;

  private:
    void reserve (std::size_t slots);

    std::vector<base::message> slots_;  // all initialised, always
    std::size_t count_ = 0;             // of them in use
};

class proxy
{
  public:
    // capture and control may be null; frontend and backend may be the same.
    proxy (base::world &world, void *frontend, void *backend, void *capture, void *control);

    // ok after TERMINATE; else why it ended (terminated, not_a_socket, ...). What
    // it has in hand then goes above the mark of the socket that it is for; a
    // warning tells of what is for nobody any more.
    base::result<void> run ();

  private:
    // Messages and bytes, as the STATISTICS command reports them.
    struct traffic
    {
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };

    struct lane
    {
        void *from = nullptr;
        void *to = nullptr;
        traffic received;
        traffic sent;
        whole_message held;        // taken, but its target had no room
        whole_message shown;       // a copy of it, still to be captured
        void *stuck_at = nullptr;  // who had no room; null: nobody
        bool readable = true;      // from may have more
        bool done = false;         // the types cannot do this direction
    };

    enum class state : std::uint8_t
    {
        active,
        paused,
        stopped,
    };

    base::result<void> wait ();
    base::result<void> forward (lane &along);
    base::result<bool> forward_one (lane &along);
    base::result<bool> take_one (lane &along);
    base::result<bool> hand_over (lane &along, whole_message &what, void *to);
    base::result<void> attend_to_control ();
    base::result<void> obey ();
    base::result<void> report ();
    base::result<void> move ();
    void empty_hands ();
    [[nodiscard]] std::span<lane> lanes () noexcept { return {lanes_.data (), lane_count_}; }

    base::world &world_;
    void *capture_;
    void *control_;
    state state_ = state::active;
    std::size_t lane_count_;
    std::array<lane, 2> lanes_;
    std::deque<whole_message> answers_;  // for control, the next first
};

}  // namespace zlink::api
