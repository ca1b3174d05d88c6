// What the simulated kernel can poll: a number, a level, and the sets that
// watch it. The rules are those of Linux' epoll.
//
// Ownership: the table knows files, it does not own them; a file leaves the
// table and every set when it is destroyed, and its number is used again.
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/poller.hpp"
#include "sim/simulation.hpp"

namespace zlink::sim {

using base::io_handle;

enum level_bits : std::uint32_t
{
    level_in = 1,
    level_out = 2,
    level_peer_ended = 4,  // reported under interest_edge only
    level_hangup = 8,      // always reported
    level_error = 16,      // always reported
    level_all = 31,
};

class kernel_file;
class virtual_poller;

class kernel_table
{
  public:
    explicit kernel_table (simulation &of) noexcept : sim (of) {}
    kernel_table (const kernel_table &) = delete;
    kernel_table &operator= (const kernel_table &) = delete;

    [[nodiscard]] kernel_file *find (io_handle number) const noexcept;
    [[nodiscard]] std::size_t open_files () const noexcept { return open_; }
    // Above this, what makes files answers too_many_files.
    std::size_t files_max = 100'000;
    [[nodiscard]] bool full () const noexcept { return open_ >= files_max; }

    simulation &sim;

  private:
    friend class kernel_file;
    io_handle enter (kernel_file &fresh);
    void leave (const kernel_file &gone) noexcept;

    std::vector<kernel_file *> files_;  // by number
    std::size_t open_ = 0;
};

class kernel_file
{
  public:
    explicit kernel_file (kernel_table &table);
    virtual ~kernel_file ();
    kernel_file (const kernel_file &) = delete;
    kernel_file &operator= (const kernel_file &) = delete;

    [[nodiscard]] io_handle number () const noexcept { return number_; }
    // What it is ready for now.
    [[nodiscard]] virtual std::uint32_t level () noexcept = 0;

  protected:
    // Something became ready: sets that asked for one of these bits hear of it.
    void changed (std::uint32_t bits) noexcept;

    kernel_table &table_;
    simulation &sim_;

  private:
    friend class virtual_poller;
    std::vector<virtual_poller *> watched_by_;
    io_handle number_;
};

}  // namespace zlink::sim
