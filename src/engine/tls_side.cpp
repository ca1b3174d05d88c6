#include "engine/tls_side.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/secret.hpp"
#include "engine/context.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

using base::errc;
using crypto::tls_error;
using crypto::tls_fault;
using crypto::tls_item;
using crypto::tls_pem;
using crypto::tls_settings;

namespace {

constexpr std::string_view pem_mark = "-----BEGIN";
// What of a path is shown.
constexpr std::size_t shown_bytes_max = 48;

tls_pem pem_of (std::string_view given) noexcept
{
    return given.find (pem_mark) == given.npos ? tls_pem{.path = given} : tls_pem{.text = given};
}

// What stands between commas.
std::vector<std::string_view> split_list (std::string_view list)
{
    std::vector<std::string_view> parts;
    while (!list.empty ()) {
        const std::size_t end = std::min (list.find (','), list.size ());
        parts.push_back (list.substr (0, end));
        list.remove_prefix (std::min (end + 1, list.size ()));
    }
    return parts;
}

}  // namespace

std::shared_ptr<crypto::tls_world> context::tls () noexcept
{
    if (world.disk == nullptr || world.tls == nullptr || world.tls->secrets == nullptr)
        return nullptr;
    base::kept &place = *world.tls;
    const base::locked hold (place.lock);
    if (place.what == nullptr)
        place.what = crypto::tls_world::make (*place.secrets, *world.disk);
    return std::static_pointer_cast<crypto::tls_world> (place.what);
}

std::string tls_complaint (std::string_view place, const tls_error &error)
{
    tls_error shown = error;
    if (shown.name.size () > shown_bytes_max)
        shown.name = "..." + shown.name.substr (shown.name.size () - shown_bytes_max);
    return std::string (place) + ", " + shown.text ();
}

base::error tls_answer (const tls_error &error) noexcept
{
    switch (error.fault) {
    case tls_fault::none:
        return {};
    case tls_fault::file_missing:
        return {errc::no_such_file, error.os_code};
    case tls_fault::file_forbidden:
        return {errc::permission_denied, error.os_code};
    case tls_fault::out_of_memory:
        return {errc::no_memory, 0};
    case tls_fault::not_built:
        return {errc::protocol_not_supported, 0};
    case tls_fault::file_unreadable:
        if (error.os_code != 0)
            return {errc::os_failure, error.os_code};
        return {errc::invalid_argument, 0};
    default:
        return {errc::invalid_argument, 0};
    }
}

// True: a context that was made of one is as good as one that is made of the other.
bool make_the_same (const tls_settings &one, const tls_settings &other) noexcept
{
    return &one == &other
           || (one.certificate == other.certificate && one.key == other.key
               && one.authority == other.authority && one.passphrase == other.passphrase
               && one.protocols == other.protocols && one.verify == other.verify
               && one.trust_system == other.trust_system
               && one.require_client_certificate == other.require_client_certificate);
}

// What a context is made of, and the one that was made.
class tls_side::papers
{
  public:
    papers (crypto::tls_role role, settings_ptr settings, std::shared_ptr<crypto::tls_world> world)
      : role_ (role), settings_ (std::move (settings)), world_ (std::move (world)),
        from_files_ (
          std::ranges::any_of (std::array{&settings_->certificate, &settings_->key, &settings_->authority},
                               [] (const std::string *each) { return !pem_of (*each).path.empty (); }))
    {
    }

    // The ones that others have, or fresh ones, unless something does not fit. May
    // throw bad_alloc.
    [[nodiscard]] static std::shared_ptr<papers>
    of (crypto::tls_role role, const settings_ptr &settings, context &owner, tls_error &error);

    [[nodiscard]] std::shared_ptr<const crypto::tls_context> current () noexcept
    {
        const base::locked hold (lock_);
        return context_;
    }
    // For one host the same, as long as it is not one of many: whoever dials it again,
    // by whatever socket, makes it short. May throw bad_alloc.
    [[nodiscard]] std::shared_ptr<tls_ticket_box> tickets_for (std::string_view host);
    [[nodiscard]] bool from_files () const noexcept { return from_files_; }
    [[nodiscard]] bool is_due (base::time_ns now) noexcept;
    void forget_look () noexcept
    {
        const base::locked hold (lock_);
        looking_ = false;
    }
    void look_again (base::world &around, const std::string &place);

  private:
    [[nodiscard]] bool
    fits (const crypto::tls_world *world, std::int64_t now_s, std::uint64_t files) noexcept;
    [[nodiscard]] static std::shared_ptr<papers> find_known (const papers &fresh, std::int64_t now_s);
    [[nodiscard]] crypto::tls_made make_context (std::int64_t now_s) const noexcept;
    [[nodiscard]] std::uint64_t look_at_files () const noexcept;

    // Constant.
    const crypto::tls_role role_;
    const settings_ptr settings_;
    const std::shared_ptr<crypto::tls_world> world_;
    const bool from_files_;

    base::exchange_lock lock_;
    std::shared_ptr<const crypto::tls_context> context_;
    std::int64_t made_s_ = 0;
    base::time_ns looked_at_ns_ = 0;
    bool looking_ = false;
    std::uint64_t seen_ = 0;        // of what the files held, a number
    std::uint64_t complained_ = 0;  // likewise; who looks has it
    struct ticketed
    {
        std::string host;
        std::shared_ptr<tls_ticket_box> box;
    };
    std::array<ticketed, ticketed_hosts_max> ticketed_;
    std::size_t next_ticketed_ = 0;
};

crypto::tls_made tls_side::papers::make_context (std::int64_t now_s) const noexcept
try {
    const std::vector<std::string_view> protocols = split_list (settings_->protocols);
    const tls_settings &from = *settings_;
    crypto::tls_options options;
    options.role = role_;
    options.certificate = pem_of (from.certificate);
    options.key = pem_of (from.key);
    options.passphrase = from.passphrase;
    options.authority = pem_of (from.authority);
    options.trust_system = from.trust_system;
    options.verify = from.verify;
    options.require_client_certificate = from.require_client_certificate;
    options.protocols = protocols;
    options.now_s = now_s;
    return crypto::tls_context::make (world_, options);
} catch (const std::bad_alloc &) {
    return {nullptr, {tls_fault::out_of_memory, tls_item::none, {}, 0}};
}

// A number that changes with what the files hold, or with why they cannot be read.
std::uint64_t tls_side::papers::look_at_files () const noexcept
{
    std::uint64_t sum = 1;
    if (!from_files_)
        return sum;
    for (const std::string *const each : {&settings_->certificate, &settings_->key, &settings_->authority}) {
        const std::string_view path = pem_of (*each).path;
        if (path.empty ())
            continue;
        base::result<std::string> text = world_->files ().read (path);
        const std::uint64_t held = text.ok () ? std::hash<std::string_view> () (text.value ())
                                              : static_cast<std::uint64_t> (text.code ());
        if (text.ok ())
            base::wipe (std::as_writable_bytes (std::span (text.value ())));
        sum = sum * 0x100000001B3U + held;
    }
    return sum;
}

// Made here not long ago, of files that hold the same now.
bool tls_side::papers::fits (const crypto::tls_world *world, std::int64_t now_s, std::uint64_t files) noexcept
{
    const base::locked hold (lock_);
    return world == world_.get () && now_s >= made_s_ && now_s - made_s_ < certificates_shared_s_max
           && files == seen_;
}

std::shared_ptr<tls_ticket_box> tls_side::papers::tickets_for (std::string_view host)
{
    ticketed fresh{std::string (host), std::make_shared<tls_ticket_box> ()};
    const base::locked hold (lock_);
    for (const ticketed &each : ticketed_)
        if (each.box != nullptr && each.host == host)
            return each.box;
    ticketed &place = ticketed_[next_ticketed_++ % ticketed_.size ()];
    std::swap (place, fresh);
    return place.box;
}

// By these very settings, or by others that say the same.
std::shared_ptr<tls_side::papers> tls_side::papers::find_known (const papers &fresh, std::int64_t now_s)
{
    auto known =
      std::static_pointer_cast<papers> (fresh.settings_->memo.find (static_cast<std::size_t> (fresh.role_)));
    if (known != nullptr && known->fits (fresh.world_.get (), now_s, fresh.seen_))
        return known;
    for (std::size_t i = 0; i < crypto::tls_shelf::places; ++i) {
        known = std::static_pointer_cast<papers> (fresh.world_->shelf ().look (i));
        if (known != nullptr && known->role_ == fresh.role_
            && make_the_same (*known->settings_, *fresh.settings_)
            && known->fits (fresh.world_.get (), now_s, fresh.seen_))
            return known;
    }
    return nullptr;
}

std::shared_ptr<tls_side::papers>
tls_side::papers::of (crypto::tls_role role, const settings_ptr &settings, context &owner, tls_error &error)
{
    const std::shared_ptr<crypto::tls_world> world = owner.tls ();
    if (world == nullptr) {
        const bool built = crypto::tls_world::built () && owner.world.disk != nullptr;
        error.fault = built ? tls_fault::out_of_memory : tls_fault::not_built;
        return nullptr;
    }
    const settings_ptr &from = settings != nullptr ? settings : world->no_settings ();
    const std::int64_t now_s = owner.world.time.unix_s ();
    auto fresh = std::make_shared<papers> (role, from, world);
    fresh->seen_ = fresh->look_at_files ();
    const auto place = static_cast<std::size_t> (role);
    if (auto known = find_known (*fresh, now_s); known != nullptr) {
        from->memo.keep (place, known);
        return known;
    }
    fresh->made_s_ = now_s;
    fresh->looked_at_ns_ = owner.world.time.now_ns ();
    crypto::tls_made made = fresh->make_context (now_s);
    if (made.context == nullptr) {
        error = std::move (made.error);
        return nullptr;
    }
    fresh->context_ = std::move (made.context);
    from->memo.keep (place, fresh);
    world->shelf ().keep (fresh);
    return fresh;
}

bool tls_side::papers::is_due (base::time_ns now) noexcept
{
    const base::locked hold (lock_);
    if (looking_ || now - looked_at_ns_ < certificates_look_ns)
        return false;
    looked_at_ns_ = now;
    looking_ = true;
    return true;
}

// On the thread for what takes long. What does not fit is complained of once.
void tls_side::papers::look_again (base::world &around, const std::string &place)
{
    const std::uint64_t now_there = look_at_files ();
    crypto::tls_made fresh;
    if (now_there != seen_)
        fresh = make_context (around.time.unix_s ());
    if (fresh.context == nullptr && now_there != seen_ && now_there != complained_ && around.log != nullptr) {
        complained_ = now_there;
        try {
            around.log->take ({base::severity::warning,
                               "changed files are of no use to TLS, the ones before stay",
                               tls_complaint (place, fresh.error).c_str ()});
        } catch (const std::bad_alloc &) {
        }
    }
    const base::locked hold (lock_);
    if (fresh.context != nullptr) {
        seen_ = now_there;
        context_.swap (fresh.context);
    }
    looking_ = false;
}

tls_side::made
tls_side::make (context &of, crypto::tls_role role, settings_ptr settings, std::string_view host)
{
    made outcome;
    auto used = papers::of (role, settings, of, outcome.error);
    if (used == nullptr)
        return outcome;
    std::shared_ptr<tls_side> side (new tls_side);
    side->papers_ = std::move (used);
    if (role == crypto::tls_role::dialer) {
        const bool said = settings != nullptr && !settings->host.empty ();
        side->host_ = said ? std::string_view (settings->host) : host;
        side->tickets_ = side->papers_->tickets_for (side->host_);
    }
    outcome.side = std::move (side);
    return outcome;
}

tls_terms tls_side::terms (std::int64_t now_s)
{
    tls_terms ours;
    ours.host = host_;
    ours.now_s = now_s;
    ours.tickets = tickets_;
    ours.context = papers_->current ();
    return ours;
}

void tls_side::refresh (const std::shared_ptr<tls_side> &side,
                        base::world &around,
                        const std::string &place) noexcept
{
    if (side == nullptr || !side->papers_->from_files () || around.slow == nullptr
        || !side->papers_->is_due (around.time.now_ns ()))
        return;
    try {
        const std::shared_ptr<papers> held = side->papers_;
        if (around.slow->submit ([held, &around, place] { held->look_again (around, place); }).ok ())
            return;
    } catch (const std::bad_alloc &) {
    }
    side->papers_->forget_look ();
}

}  // namespace zlink::engine
