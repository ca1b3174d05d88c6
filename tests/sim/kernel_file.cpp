#include "sim/kernel_file.hpp"

#include <algorithm>

#include "sim/virtual_poller.hpp"

namespace zlink::sim {

namespace {

constexpr io_handle first_number = 3;

}  // namespace

kernel_file *kernel_table::find (io_handle number) const noexcept
{
    const auto at = static_cast<std::size_t> (number - first_number);
    return number < first_number || at >= files_.size () ? nullptr : files_[at];
}

// The lowest free number, as kernels do it: a stale number soon means another file.
io_handle kernel_table::enter (kernel_file &fresh)
{
    ++open_;
    const auto hole = std::find (files_.begin (), files_.end (), nullptr);
    const auto number = static_cast<io_handle> (hole - files_.begin ()) + first_number;
    if (hole == files_.end ())
        files_.push_back (&fresh);
    else
        *hole = &fresh;
    return number;
}

void kernel_table::leave (const kernel_file &gone) noexcept
{
    --open_;
    files_[static_cast<std::size_t> (gone.number () - first_number)] = nullptr;
}

kernel_file::kernel_file (kernel_table &table)
  : table_ (table), sim_ (table.sim), number_ (table.enter (*this))
{
}

kernel_file::~kernel_file ()
{
    for (virtual_poller *each : watched_by_)
        each->forget (*this);
    table_.leave (*this);
}

void kernel_file::changed (std::uint32_t bits) noexcept
{
    for (std::size_t i = 0; i < watched_by_.size (); ++i)
        watched_by_[i]->hear (*this, bits);
}

}  // namespace zlink::sim
