// A stream around another one, to which it leaves everything: what is made of it
// overrides what it does itself.
// Thread rule and ownership: as of a stream; it owns the one inside.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/stream.hpp"

namespace zlink::base {

class wrapping_stream : public stream
{
  public:
    explicit wrapping_stream (std::unique_ptr<stream> inside) noexcept : inside_ (std::move (inside)) {}

    result<std::size_t> write (std::span<const bytes_view> slices) noexcept override
    {
        return inside_->write (slices);
    }
    result<std::size_t> read (std::span<const bytes_span> slices) noexcept override
    {
        return inside_->read (slices);
    }
    [[nodiscard]] bool connecting () const noexcept override { return inside_->connecting (); }
    result<void> finish_connect () noexcept override { return inside_->finish_connect (); }
    void shutdown_write () noexcept override { inside_->shutdown_write (); }
    bool wait_writable (time_ns timeout_ns) noexcept override { return inside_->wait_writable (timeout_ns); }
    [[nodiscard]] bool output_pending () noexcept override { return inside_->output_pending (); }
    [[nodiscard]] io_handle handle () const noexcept override { return inside_->handle (); }
    [[nodiscard]] bool admitted () const noexcept override { return inside_->admitted (); }
    [[nodiscard]] std::string peer_address () const override { return inside_->peer_address (); }
    [[nodiscard]] std::string local_endpoint () const override { return inside_->local_endpoint (); }
    [[nodiscard]] std::string remote_endpoint () const override { return inside_->remote_endpoint (); }

    [[nodiscard]] bool wraps () const noexcept override { return true; }
    // Whoever has a handshake of its own begins with the one inside.
    result<void> open () noexcept override { return inside_->open (); }
    [[nodiscard]] bool owes () const noexcept override { return inside_->owes (); }
    [[nodiscard]] bool pending () const noexcept override { return inside_->pending (); }
    [[nodiscard]] close_reason fault () const noexcept override { return inside_->fault (); }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> peer_facts () const override
    {
        return inside_->peer_facts ();
    }
    void rest () noexcept override { inside_->rest (); }
    void widen () noexcept override { inside_->widen (); }

  protected:
    [[nodiscard]] stream &inside () const noexcept { return *inside_; }

  private:
    std::unique_ptr<stream> inside_;
};

}  // namespace zlink::base
