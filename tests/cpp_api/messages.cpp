// Messages of the C++ interface: who owns what, and what may be sent.
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlink/zlink.hpp>

namespace zlink::test {
namespace {

TEST (cpp_messages, hold_copies_of_anything_that_is_bytes)
{
    const std::vector<std::uint16_t> numbers{1, 2, 3};
    EXPECT_EQ (message ("text").text (), "text");
    EXPECT_EQ (message (std::string ("with\0zero", 9)).size (), 9u);
    EXPECT_EQ (message (numbers).size (), 6u);
    EXPECT_TRUE (message ().empty ());
    EXPECT_EQ (message (std::size_t{70'000}).bytes ().size (), 70'000u);
}

TEST (cpp_messages, are_read_as_values_of_exactly_their_size)
{
    const std::uint32_t number = 0x01020304;
    const message held (std::span (&number, 1));
    EXPECT_EQ (held.as<std::uint32_t> (), number);
    EXPECT_FALSE (held.as<std::uint64_t> ());
    EXPECT_FALSE (held.as<std::uint16_t> ());
}

TEST (cpp_messages, move_and_leave_an_empty_one_behind)
{
    message one (std::string (5000, 'x'));
    const void *const where = one.bytes ().data ();
    message other (std::move (one));
    EXPECT_TRUE (one.empty ());
    EXPECT_EQ (other.bytes ().data (), where);
    one = std::move (other);
    EXPECT_EQ (one.size (), 5000u);
    message &itself = one;
    one = std::move (itself);
    EXPECT_EQ (one.size (), 5000u);
}

TEST (cpp_messages, share_large_bodies)
{
    message one (std::string (5000, 'x'));
    const message other = one.share ();
    EXPECT_EQ (other.bytes ().data (), one.bytes ().data ());
    EXPECT_TRUE (one == other);
    EXPECT_FALSE (one == message ("y"));
}

// Counts how many of its kind are alive.
struct counted_text
{
    explicit counted_text (std::atomic<int> &alive) : text (9000, 'z'), alive_ (&alive) { ++*alive_; }
    counted_text (counted_text &&other) noexcept : text (std::move (other.text)), alive_ (other.alive_)
    {
        ++*alive_;
    }
    counted_text &operator= (counted_text &&) = delete;
    ~counted_text () { --*alive_; }
    [[nodiscard]] auto begin () { return text.begin (); }
    [[nodiscard]] auto end () { return text.end (); }
    [[nodiscard]] auto begin () const { return text.begin (); }
    [[nodiscard]] auto end () const { return text.end (); }
    std::vector<char> text;

  private:
    std::atomic<int> *alive_;
};

TEST (cpp_messages, of_a_container_keep_it_until_nobody_needs_it)
{
    std::atomic<int> alive{0};
    {
        message one = message::owning (counted_text (alive));
        EXPECT_EQ (alive, 1);
        EXPECT_EQ (one.size (), 9000u);
        const message other = one.share ();
        one = message ();
        EXPECT_EQ (alive, 1);
        EXPECT_EQ (other.text ().front (), 'z');
    }
    EXPECT_EQ (alive, 0);
}

TEST (cpp_messages, of_a_container_do_not_copy_it)
{
    std::vector<int> numbers (1000, 7);
    const void *const where = numbers.data ();
    const message held = message::owning (std::move (numbers));
    EXPECT_EQ (held.bytes ().data (), where);
    EXPECT_EQ (held.size (), 4000u);
}

TEST (cpp_messages, of_static_bytes_refer_to_them)
{
    static const std::string text (3000, 's');
    const message held = message::of_static (bytes_of (text));
    EXPECT_EQ (static_cast<const void *> (held.bytes ().data ()), text.data ());
}

TEST (cpp_results, hold_a_value_or_throw_why_not)
{
    result<int> good (5);
    EXPECT_TRUE (good);
    EXPECT_EQ (*good, 5);
    EXPECT_FALSE (good.error ());
    result<int> bad (make_error_code (errc::timed_out));
    EXPECT_FALSE (bad);
    EXPECT_EQ (result<int> (bad).value_or (7), 7);
    try {
        static_cast<void> (bad.value ());
        FAIL ();
    } catch (const failure &why) {
        EXPECT_EQ (why.why (), errc::timed_out);
        EXPECT_EQ (why.code (), std::errc::timed_out);
        EXPECT_NE (std::string (why.what ()).find (zlink_strerror (ETIMEDOUT)), std::string::npos);
    }
}

TEST (cpp_results, of_our_own_numbers_are_no_conditions_of_the_system)
{
    const std::error_code ended = errc::terminated;
    EXPECT_EQ (ended, errc::terminated);
    EXPECT_EQ (&ended.default_error_condition ().category (), &category ());
    EXPECT_EQ (ended.message (), zlink_strerror (ETERM));
}

}  // namespace
}  // namespace zlink::test
