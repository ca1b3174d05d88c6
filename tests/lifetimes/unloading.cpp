// The shared libraries as a plugin host sees them: loaded, used, unloaded with
// everything open, loaded again. This program is linked to neither.
#include <array>
#include <dlfcn.h>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace {

constexpr int pull_type = 7;
constexpr int push_type = 8;
constexpr int last_endpoint_option = 32;

// As much of a library as the tests call.
class library
{
  public:
    library (const char *path, std::string prefix)
      : prefix_ (std::move (prefix)), handle_ (::dlopen (path, RTLD_NOW | RTLD_LOCAL))
    {
        EXPECT_NE (handle_, nullptr) << ::dlerror ();
    }
    ~library () { unload (); }
    library (const library &) = delete;
    library &operator= (const library &) = delete;
    void unload ()
    {
        if (handle_ == nullptr)
            return;
        EXPECT_EQ (::dlclose (std::exchange (handle_, nullptr)), 0);
    }

    template <class Function> Function *get (const std::string &name) const
    {
        return reinterpret_cast<Function *> (::dlsym (handle_, (prefix_ + name).c_str ()));
    }
    void *ctx_new () const { return get<void *()> ("ctx_new") (); }
    int ctx_term (void *context) const { return get<int (void *)> ("ctx_term") (context); }
    void *socket (void *context, int type) const
    {
        return get<void *(void *, int)> ("socket") (context, type);
    }
    int close (void *socket) const { return get<int (void *)> ("close") (socket); }
    // Bound on the loopback; where.
    std::string bind (void *socket) const
    {
        EXPECT_EQ (get<int (void *, const char *)> ("bind") (socket, "tcp://127.0.0.1:*"), 0);
        std::array<char, 100> where{};
        std::size_t size = where.size ();
        EXPECT_EQ (get<int (void *, int, void *, std::size_t *)> ("getsockopt") (socket, last_endpoint_option,
                                                                                 where.data (), &size),
                   0);
        return where.data ();
    }
    int connect (void *socket, const std::string &where) const
    {
        return get<int (void *, const char *)> ("connect") (socket, where.c_str ());
    }
    int send (void *socket, const std::string &text) const
    {
        return get<int (void *, const void *, std::size_t, int)> ("send") (socket, text.data (), text.size (),
                                                                           0);
    }
    std::string receive (void *socket) const
    {
        std::array<char, 100> text{};
        const int size =
          get<int (void *, void *, std::size_t, int)> ("recv") (socket, text.data (), text.size (), 0);
        return size < 0 ? "failed" : std::string (text.data (), static_cast<std::size_t> (size));
    }

  private:
    std::string prefix_;
    void *handle_;
};

struct named_library
{
    const char *path;
    const char *prefix;
};

constexpr named_library both[] = {{ZLINK_TEST_LIBZLINK, "zlink_"}, {ZLINK_TEST_LIBZMQ, "zmq_"}};

// Unloaded while its threads work and another sleeps in a call, and loaded
// again: everything is as it was.
TEST (unloading, with_everything_open)
{
    for (const named_library &each : both)
        for (int round = 0; round < 5; ++round) {
            library first (each.path, each.prefix);
            void *const context = first.ctx_new ();
            void *const pull = first.socket (context, pull_type);
            void *const push = first.socket (context, push_type);
            ASSERT_EQ (first.connect (push, first.bind (pull)), 0);
            auto *const receive = first.get<int (void *, void *, std::size_t, int)> ("recv");
            std::thread sleeper ([receive, pull] {
                std::array<char, 8> text{};
                EXPECT_EQ (receive (pull, text.data (), text.size (), 0), 4);
            });
            first.unload ();
            library second (each.path, each.prefix);
            EXPECT_EQ (second.send (push, "wake"), 4);
            sleeper.join ();
            EXPECT_EQ (second.send (push, "again"), 5);
            EXPECT_EQ (second.receive (pull), "again");
            EXPECT_EQ (second.close (push), 0);
            EXPECT_EQ (second.close (pull), 0);
            EXPECT_EQ (second.ctx_term (context), 0);
        }
}

// Left open for good: the process ends with it.
TEST (unloading, and_never_looking_back)
{
    for (const named_library &each : both) {
        library once (each.path, each.prefix);
        void *const context = once.ctx_new ();
        void *const pull = once.socket (context, pull_type);
        void *const push = once.socket (context, push_type);
        ASSERT_EQ (once.connect (push, once.bind (pull)), 0);
        for (int i = 0; i < 100; ++i)
            EXPECT_EQ (once.send (push, "unread"), 6);
    }
}

// A thread that has called the library ends after it was unloaded: what it
// left in its own storage is still code that is there.
TEST (unloading, before_the_threads_that_used_it_end)
{
    for (const named_library &each : both) {
        library used (each.path, each.prefix);
        void *const context = used.ctx_new ();
        void *const pull = used.socket (context, pull_type);
        void *const push = used.socket (context, push_type);
        ASSERT_EQ (used.connect (push, used.bind (pull)), 0);
        auto *const receive = used.get<int (void *, void *, std::size_t, int)> ("recv");
        std::thread sender ([&] {
            for (int i = 0; i < 1000; ++i)
                EXPECT_EQ (used.send (push, "text"), 4);
            used.unload ();
        });
        for (int i = 0; i < 1000; ++i) {
            std::array<char, 8> text{};
            ASSERT_EQ (receive (pull, text.data (), text.size (), 0), 4);
        }
        sender.join ();
    }
}

TEST (unloading, one_of_them_leaves_the_other_alone)
{
    library own (both[0].path, both[0].prefix);
    library other (both[1].path, both[1].prefix);
    void *const own_context = own.ctx_new ();
    void *const other_context = other.ctx_new ();
    void *const pull = own.socket (own_context, pull_type);
    void *const push = other.socket (other_context, push_type);
    ASSERT_EQ (other.connect (push, own.bind (pull)), 0);
    EXPECT_EQ (other.send (push, "across"), 6);
    other.unload ();
    EXPECT_EQ (own.receive (pull), "across");
    EXPECT_EQ (own.close (pull), 0);
    EXPECT_EQ (own.ctx_term (own_context), 0);
}

}  // namespace
