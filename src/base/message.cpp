#include "base/message.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/atomic.hpp"
#include "base/copying.hpp"
#include "base/turnover.hpp"

namespace zlink::base {

namespace {

// --- the pool of large bodies ---------------------------------------------

constexpr unsigned smallest_shift = std::countr_zero (pooled_body_min);
constexpr unsigned class_count = std::countr_zero (pooled_body_max) - smallest_shift + 1;

// Copying is slow on some CPUs when the target lies a few bytes ahead of the
// source modulo the page size, and user memory tends to start right behind an
// allocator's header. So data starts in the second to fourth eighth of a page.
constexpr std::uintptr_t page_bytes = 4096;
constexpr std::uintptr_t data_offset_min = 512;
constexpr std::uintptr_t data_offset_max = 2048;
constexpr std::uintptr_t data_alignment = 64;
constexpr std::size_t offset_reserve = page_bytes - data_offset_max + data_offset_min + data_alignment;

std::byte *choose_data (std::byte *first)
{
    std::uintptr_t at = reinterpret_cast<std::uintptr_t> (first);
    at = (at + data_alignment - 1) / data_alignment * data_alignment;
    const std::uintptr_t in_page = at % page_bytes;
    if (in_page < data_offset_min)
        at += data_offset_min - in_page;
    else if (in_page > data_offset_max)
        at += page_bytes - in_page + data_offset_min;
    return first + (at - reinterpret_cast<std::uintptr_t> (first));
}

constexpr std::size_t bytes_of_class (unsigned at) noexcept { return pooled_body_min << at; }

// Whose a body is. Not inline: a shared library finds a thread's variables by a call.
[[gnu::noinline]] const void *this_thread () noexcept
{
    static thread_local const char mark = 0;
    return &mark;
}

// One class of free bodies. What comes back on the thread that took it lies in that
// core's cache: it goes out again first, the last one before the others. What comes back
// on another thread turns over.
struct body_class
{
    turnover own;
    turnover turning;

    body *take (std::size_t bytes) noexcept
    {
        void *const taken = own.take_early ();
        return static_cast<body *> (taken != nullptr ? taken : turning.take (bytes));
    }
    // Where there is no other memory.
    body *take_early () noexcept { return static_cast<body *> (turning.take_early ()); }
    // False when the class is full or busy: then the body is the caller's.
    bool give (body *returned, std::size_t bytes, bool is_own) noexcept
    {
        return is_own ? own.give_in_front (returned, bytes) : turning.give (returned, bytes);
    }
};

constinit body_class pool[class_count];

// 1 for the smallest; 0 = not pooled.
std::uint32_t class_of (std::size_t size)
{
    if (size < pooled_body_min || size > pooled_body_max)
        return body::plain;
    return static_cast<std::uint32_t> (std::bit_width (size - 1)) - smallest_shift + 1;
}

body *allocate_block (std::size_t block_bytes) noexcept
{
    void *block = std::malloc (block_bytes);
    return block == nullptr ? nullptr : new (block) body;
}

std::byte *behind (body *header) { return reinterpret_cast<std::byte *> (header) + sizeof (body); }

// Apart, so that small bodies do not pay for it.
[[gnu::noinline]] body *allocate_pooled (std::size_t size, std::uint32_t size_class) noexcept
{
    body *made = pool[size_class - 1].take (bytes_of_class (size_class - 1));
    if (made == nullptr) {
        made = allocate_block (sizeof (body) + offset_reserve + bytes_of_class (size_class - 1));
        if (made != nullptr) {
            made->size_class = size_class;
            made->data = choose_data (behind (made));
        } else if ((made = pool[size_class - 1].take_early ()) == nullptr) {
            return nullptr;
        }
    }
    made->references.store (1, std::memory_order_relaxed);
    made->hint = const_cast<void *> (this_thread ());
    made->size = size;
    return made;
}

[[gnu::noinline]] bool give_to_pool (body *of) noexcept
{
    const unsigned at = of->size_class - 1;
    return pool[at].give (of, bytes_of_class (at), of->hint == this_thread ());
}

void free_block (body *of) noexcept
{
    of->~body ();
    std::free (of);
}

}  // namespace

body *body::allocate (std::size_t size) noexcept
{
    const std::uint32_t chosen = class_of (size);
    if (chosen != plain)
        return allocate_pooled (size, chosen);
    const std::size_t reserve = size > pooled_body_max ? offset_reserve : 0;
    if (size > PTRDIFF_MAX - sizeof (body) - reserve)  // no allocator has that
        return nullptr;
    body *made = allocate_block (sizeof (body) + reserve + size);
    if (made == nullptr)
        return nullptr;
    made->data = reserve == 0 ? behind (made) : choose_data (behind (made));
    made->size = size;
    return made;
}

body *body::adopt (void *data, std::size_t size, free_function *release, void *hint) noexcept
{
    body *made = allocate_block (sizeof (body));
    if (made == nullptr)
        return nullptr;
    made->size_class = adopted;
    made->release = release;
    made->hint = hint;
    made->data = static_cast<std::byte *> (data);
    made->size = size;
    return made;
}

void body::drop () noexcept
{
    // The only owner needs no atomic decrement: nobody else can get at it.
    if (references.load (std::memory_order_acquire) != 1
        && references.fetch_sub (1, std::memory_order_acq_rel) != 1)
        return;
    if (size_class == adopted) {
        if (release != nullptr)
            release (data, hint);
    } else if (size_class != plain && give_to_pool (this)) {
        return;
    }
    free_block (this);
}

// --- messages -------------------------------------------------------------

struct message::group_name
{
    atomic<std::uint32_t> references{1};
    std::uint32_t size = 0;
    char text[group_name_max + 1];
};

result<void> message::init_large (std::size_t size) noexcept
{
    body *made = body::allocate (size);
    if (made == nullptr)
        return errc::no_memory;
    kind_ = message_kind::shared;
    content_.held = made;
    return {};
}

result<void> message::init_copy (bytes_view bytes) noexcept
{
    const result<void> made = init_size (bytes.size ());
    if (made && !bytes.empty ())
        copy_octets (data (), bytes.data (), bytes.size ());
    return made;
}

result<void> message::init_adopt (void *data, std::size_t size, free_function *release, void *hint) noexcept
{
    init ();
    body *made = body::adopt (data, size, release, hint);
    if (made == nullptr)
        return errc::no_memory;
    init_body (made);
    return {};
}

void message::init_body (body *owned) noexcept
{
    init ();
    kind_ = message_kind::shared;
    content_.held = owned;
}

void message::release_all () noexcept
{
    if (kind_ == message_kind::shared)
        content_.held->drop ();
    if (facts_ != nullptr)
        facts_->drop ();
    drop_group ();
    facts_ = nullptr;
}

void message::move_from (message &source) noexcept
{
    if (this == &source)
        return;
    close ();
    std::memcpy (static_cast<void *> (this), &source, sizeof (message));
    source.init ();
}

void message::copy_from (message &source) noexcept
{
    if (this == &source)
        return;
    if (source.kind_ == message_kind::shared) {
        source.content_.held->retain ();
        source.flags_ |= message_copied;
    }
    if (source.facts_ != nullptr)
        source.facts_->retain ();
    if (source.group_ != nullptr)
        source.group_->references.fetch_add (1, std::memory_order_relaxed);
    close ();
    std::memcpy (static_cast<void *> (this), &source, sizeof (message));
}

void message::set_facts (message_facts *facts) noexcept
{
    if (facts != nullptr)
        facts->retain ();
    if (facts_ != nullptr)
        facts_->drop ();
    facts_ = facts;
}

char *message::short_group () noexcept
{
    return reinterpret_cast<char *> (content_.inlined) + message_inline_max - (group_bytes_ + 1);
}

const char *message::group () const noexcept { return group_text ().data (); }

std::string_view message::group_text () const noexcept
{
    if ((flags_ & message_holds_group) != 0)
        return {const_cast<message *> (this)->short_group (), group_bytes_};
    return group_ == nullptr ? std::string_view ("", 0) : std::string_view (group_->text, group_->size);
}

// False: there is no room.
bool message::set_short_group (std::string_view name) noexcept
{
    if (!name.empty () && name.size () >= room_behind_body ())
        return false;
    drop_group ();
    if (name.empty ())
        return true;
    group_bytes_ = static_cast<std::uint8_t> (name.size ());
    flags_ |= message_holds_group;
    std::memcpy (short_group (), name.data (), name.size ());
    short_group ()[name.size ()] = '\0';
    return true;
}

void message::share_group (const message &other) noexcept
{
    if (set_short_group (other.group_text ()))
        return;
    other.group_->references.fetch_add (1, std::memory_order_relaxed);
    drop_group ();
    group_ = other.group_;
}

void message::drop_group () noexcept
{
    flags_ &= static_cast<std::uint8_t> (~message_holds_group);
    if (group_ == nullptr)
        return;
    if (group_->references.fetch_sub (1, std::memory_order_acq_rel) == 1) {
        group_->~group_name ();
        std::free (group_);
    }
    group_ = nullptr;
}

result<void> message::set_group (std::string_view name) noexcept
{
    if (set_short_group (name))
        return {};
    return set_group_to_share (name);
}

result<void> message::set_group_to_share (std::string_view name) noexcept
{
    if (name.size () > group_name_max)
        return errc::invalid_argument;
    void *const block = std::malloc (sizeof (group_name));
    if (block == nullptr)
        return errc::no_memory;
    auto *const made = new (block) group_name;
    std::memcpy (made->text, name.data (), name.size ());
    made->text[name.size ()] = '\0';
    made->size = static_cast<std::uint32_t> (name.size ());
    drop_group ();
    group_ = made;
    return {};
}

}  // namespace zlink::base
