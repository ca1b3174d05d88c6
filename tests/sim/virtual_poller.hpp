// The poller seam over simulated files: level, edge and one-shot interests,
// sets in sets, wake().
//
// As in Linux: an entry joins the ready list when its file says that something
// changed, or when add and modify find it ready; wait takes entries off the
// list, asks the file for its level, reports what is asked for, disables
// one-shot entries, and puts level-triggered ones back. A set is readable
// while an entry on its list has something to report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>

#include "base/poller.hpp"
#include "sim/kernel_file.hpp"

namespace zlink::sim {

using base::result;

class virtual_poller final : public base::poller, public kernel_file
{
  public:
    explicit virtual_poller (kernel_table &table) : kernel_file (table) {}
    ~virtual_poller () override;

    result<void> add (io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept override;
    result<void> modify (io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept override;
    void remove (io_handle handle) noexcept override;
    result<std::size_t> wait (std::span<base::poll_event> events, base::time_ns timeout_ns) noexcept override;
    void wake () noexcept override;
    [[nodiscard]] io_handle handle () const noexcept override { return number (); }

    [[nodiscard]] std::uint32_t level () noexcept override;

    // Sets as members of this one are refused.
    bool flat = false;

  private:
    friend class kernel_file;
    struct entry
    {
        kernel_file *file = nullptr;
        std::uint32_t interest = 0;  // 0: disabled by one-shot
        std::uint64_t tag = 0;
        bool listed = false;
    };

    void hear (kernel_file &from, std::uint32_t bits) noexcept;
    void forget (kernel_file &gone) noexcept;
    void list (entry &which) noexcept;
    void unlist (entry &which) noexcept;
    [[nodiscard]] static std::uint32_t wanted (std::uint32_t interest) noexcept;
    [[nodiscard]] static std::uint32_t to_report (const entry &which) noexcept;
    std::size_t collect (std::span<base::poll_event> events) noexcept;

    std::map<io_handle, entry> entries_;
    std::deque<entry *> ready_;
    bool woken_ = false;
    unsigned waiting_ = 0;
};

class virtual_poller_factory final : public base::poller_factory
{
  public:
    virtual_poller_factory (kernel_table &table, bool nests) noexcept : table_ (table), nests_ (nests) {}

    result<std::unique_ptr<base::poller>> make () noexcept override;
    [[nodiscard]] bool nests () const noexcept override { return nests_; }
    result<std::size_t> wait_list (std::span<base::poll_entry> entries,
                                   base::time_ns timeout_ns,
                                   base::signal_mask mask) noexcept override;

  private:
    kernel_table &table_;
    const bool nests_;
};

}  // namespace zlink::sim
