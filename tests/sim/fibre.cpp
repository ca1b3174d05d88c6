#include "sim/fibre.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace zlink::sim {

namespace {

constexpr std::size_t stack_bytes = 1024 * 1024;
constexpr std::size_t guard_bytes = 16 * 1024;

// What a sanitizer must be told around a switch.
struct side
{
    void *fake_stack = nullptr;
    const void *bottom = nullptr;
    std::size_t size = 0;
    void *thread = nullptr;  // the thread sanitizer's idea of it
};

void before_switch ([[maybe_unused]] side &from,
                    [[maybe_unused]] const side &to,
                    [[maybe_unused]] bool for_good)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber (for_good ? nullptr : &from.fake_stack, to.bottom, to.size);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber (to.thread, 0);
#endif
}

void after_switch ([[maybe_unused]] side &here, [[maybe_unused]] side *came_from)
{
#if defined(__SANITIZE_ADDRESS__)
    if (came_from != nullptr)
        __sanitizer_finish_switch_fiber (here.fake_stack, &came_from->bottom, &came_from->size);
    else
        __sanitizer_finish_switch_fiber (here.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace

struct fibre::machine
{
    ucontext_t inside{};
    ucontext_t outside{};
    side in;
    side out;
    void *memory = nullptr;
};

fibre::fibre (std::function<void ()> body) : body_ (std::move (body)), machine_ (std::make_unique<machine> ())
{
    machine &m = *machine_;
    m.memory = ::mmap (nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m.memory == MAP_FAILED || ::mprotect (m.memory, guard_bytes, PROT_NONE) != 0) {
        std::perror ("fibre");
        std::abort ();
    }
    m.in.bottom = static_cast<std::byte *> (m.memory) + guard_bytes;
    m.in.size = stack_bytes - guard_bytes;
    ::getcontext (&m.inside);
    m.inside.uc_stack.ss_sp = const_cast<void *> (m.in.bottom);
    m.inside.uc_stack.ss_size = m.in.size;
    m.inside.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uint64_t> (this);
    ::makecontext (&m.inside, reinterpret_cast<void (*) ()> (&fibre::start), 2,
                   static_cast<unsigned> (self >> 32), static_cast<unsigned> (self));
#if defined(__SANITIZE_THREAD__)
    m.in.thread = __tsan_create_fiber (0);
#endif
}

fibre::~fibre ()
{
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber (machine_->in.thread);
#endif
    ::munmap (machine_->memory, stack_bytes);
}

void fibre::start (unsigned high, unsigned low)
{
    auto *const self = reinterpret_cast<fibre *> ((std::uint64_t{high} << 32) | low);
    self->run ();
}

void fibre::run ()
{
    machine &m = *machine_;
    after_switch (m.in, &m.out);
    body_ ();
    body_ = nullptr;
    finished_ = true;
    before_switch (m.in, m.out, true);
    ::swapcontext (&m.inside, &m.outside);
    std::abort ();
}

void fibre::enter ()
{
    machine &m = *machine_;
#if defined(__SANITIZE_THREAD__)
    m.out.thread = __tsan_get_current_fiber ();
#endif
    before_switch (m.out, m.in, false);
    ::swapcontext (&m.outside, &m.inside);
    after_switch (m.out, nullptr);
}

void fibre::leave ()
{
    machine &m = *machine_;
    before_switch (m.in, m.out, false);
    ::swapcontext (&m.inside, &m.outside);
    after_switch (m.in, &m.out);
}

}  // namespace zlink::sim
