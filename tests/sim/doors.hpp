// Who comes in, in a scenario: seats that are linked speak one mechanism, one
// side of them as servers, and a handler, a function or a list says who is let
// in, some only when they come again. Strangers knock, too, with keys and
// passwords that nobody knows: what they send must never arrive.
//
// Thread rule: inside fibres of the stage's simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/secret.hpp"
#include "sim/callers.hpp"
#include "socket/facade.hpp"

namespace zlink::sim {

class doors
{
  public:
    doors (stage &on, std::span<const std::unique_ptr<socket_seat>> seats);

    struct link
    {
        std::size_t binder;  // seats
        std::size_t dialer;
        std::string endpoint;
    };
    // Seats that are linked with each other are behind one door, unless they have no
    // two sides or nothing that is spoken before octets flow.
    void plan (std::span<const link> links);
    // Tells a seat's socket what it says of itself, or whom it lets in.
    void furnish (std::size_t seat);
    // True when somebody has to be the handler.
    [[nodiscard]] bool has_handler () const noexcept;
    // Answers questions about peers until over, or the context ends.
    void answer_questions (void *context, const bool &over);
    // How often one that may come in was not let in yet.
    [[nodiscard]] unsigned turned_away () const noexcept { return turned_away_; }
    // Strangers that there may be.
    [[nodiscard]] std::size_t strangers () const noexcept { return strangers_.size (); }
    // Knocks for a while.
    void knock (void *context, std::size_t stranger, const bool &over);

  private:
    enum class mechanism : std::uint8_t
    {
        none,
        plain,
        curve,
    };
    enum class keeper : std::uint8_t
    {
        handler,
        function,
        list,
    };
    struct key_pair
    {
        base::public_key open{};
        base::secret_key secret;
    };
    struct door
    {
        mechanism spoken = mechanism::none;
        keeper by = keeper::handler;
        key_pair server;
        std::map<std::size_t, key_pair> clients{};  // by seat
    };
    struct place
    {
        std::size_t at = 0;  // a door; none: no_door
        bool server = false;
    };
    struct stranger
    {
        std::size_t at;  // a door
        int type;
        std::string endpoint;
    };
    class function;
    static constexpr std::size_t no_door = static_cast<std::size_t> (-1);

    [[nodiscard]] std::vector<std::size_t>
    meet_all (std::size_t first, std::span<const link> links, std::vector<int> &sides) const;
    void make_door (std::span<const std::size_t> seats, const std::vector<int> &sides);
    void set (void *socket, int option, int value);
    void set_bytes (void *socket, int option, base::bytes_view value);
    void set_server (void *socket, std::size_t at);
    void set_client (void *socket, const door &of, const key_pair &own, std::string_view password);
    [[nodiscard]] key_pair make_keys ();
    [[nodiscard]] std::size_t door_named (std::string_view domain) const;
    // One of the protocol's statuses.
    [[nodiscard]] unsigned judge (std::size_t at, std::span<const std::string> shown);
    [[nodiscard]] unsigned judge_known ();
    bool answer (void *handler);
    [[nodiscard]] bool goes_on (base::errc code, const char *call) const;

    stage &on_;
    const std::span<const std::unique_ptr<socket_seat>> seats_;
    std::vector<std::unique_ptr<door>> all_;
    std::vector<place> places_;  // of seats
    std::vector<stranger> strangers_;
    unsigned refusals_left_ = 0;  // of those who may come in
    unsigned turned_away_ = 0;
};

}  // namespace zlink::sim
