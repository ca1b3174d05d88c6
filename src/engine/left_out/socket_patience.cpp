// Instead of socket_patience, in a minimal library: a look lasts as long as any other,
// also of who streams, nobody yields on one core, and nobody gets up for a message.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_leading.hpp"

namespace zlink::engine {

void socket_core::sent_large () noexcept {}

void socket_core::see_whether_it_answers_locked () noexcept {}

time_ns socket_core::patience_locked (int others_waiting) noexcept
{
    const auto cores = static_cast<int> (owner_->world.sleep.cores ());
    return wish_.adaptive_spin && others_waiting < cores && cores > 1 && spin_.should_spin () ? spin_ns : 0;
}

void socket_core::spin_for_it (leading &turn) noexcept
{
    spin_on_set (turn, owner_->world.time.now_ns () + turn.patience);
}

void socket_core::looked_locked (bool seen, time_ns) noexcept { seen ? spin_.succeeded () : spin_.failed (); }

socket_core::look socket_core::yield_for_word (const wait_word &, std::uint32_t) noexcept
{
    return look::nothing;
}

void socket_core::expect_locked (leading &, int) noexcept {}

void socket_core::get_up_for_it (leading &) noexcept {}

void socket_core::note_pace_locked (const leading &) noexcept {}

}  // namespace zlink::engine
