// The sockets of one role over one library. Calls that fail end the process
// with the library's own words.
#pragma once

#include <string>
#include <vector>

#include "bench/library.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

// A context; closed by its destructor, which waits for its sockets.
class library_context
{
  public:
    library_context (const library &calls, const cell &measured);
    ~library_context ();
    library_context (const library_context &) = delete;
    library_context &operator= (const library_context &) = delete;
    [[nodiscard]] void *handle () const noexcept { return handle_; }

  private:
    const library &calls_;
    void *handle_;
};

// Ends the process when answer is negative; what names the call.
void need (const library &calls, int answer, std::string_view what);

// Of tls and wss: makes the certificate of both processes, before there are two, and
// gives a socket it and whom to trust. Of others nothing.
void make_certificate (const cell &measured);
void give_certificate (const library &calls, void *socket, const cell &measured);

// Likewise of CURVE: the keys of both ends, and what an end says of itself.
enum class curve_role
{
    server,
    client,
};
void make_keys (const library &calls, const cell &measured);
void give_keys (const library &calls, void *socket, const cell &measured, curve_role as);

// A socket; one that the library does not know is lacking.
[[nodiscard]] void *make_socket (const library &calls, void *context, int type);

// In which a RADIO speaks.
inline constexpr const char *group_name = "g";

// What a connecting ROUTER calls the peer at the other end.
inline constexpr std::string_view bound_name = "bound";

// Sockets come set up for their pattern: a publisher waits for room unless the
// cell says it drops, a subscriber wants everything, a ROUTER that connects
// can address its peer (bound_name) at once and waits for room, a STREAM is raw.
class node
{
  public:
    // directory holds the socket files of ipc.
    node (
      const library &calls, void *context, const cell &measured, shared_state *state, std::string directory);
    ~node ();
    node (const node &) = delete;
    node &operator= (const node &) = delete;

    // slot 0 or 1: the way there and the way back. bind publishes the
    // endpoint in the shared state, connect waits for it.
    void *bind (int type, unsigned slot);
    void *connect (int type, unsigned slot);

    // True when the library took the option that turns its spin off (or
    // nobody asked for that).
    [[nodiscard]] bool spin_option_taken () const noexcept { return spin_option_taken_; }

  private:
    void *make (int type);

    const library &calls_;
    void *context_;
    cell measured_;
    shared_state *state_;
    std::string directory_;
    std::vector<void *> sockets_;
    bool spin_option_taken_ = true;
};

}  // namespace zlink::bench
