#include "bench/library.hpp"

#include <dlfcn.h>

namespace zlink::bench {

namespace {

class symbols
{
  public:
    symbols (void *object, abi names) : object_ (object), prefix_ (names == abi::zmq ? "zmq_" : "zlink_") {}

    template <class F> void find_optional (const char *name, F *&target)
    {
        target = reinterpret_cast<F *> (dlsym (object_, (prefix_ + name).c_str ()));
    }
    template <class F> void find (const char *name, F *&target)
    {
        find_optional (name, target);
        if (target == nullptr && missing_.empty ())
            missing_ = prefix_ + name;
    }

    [[nodiscard]] const std::string &missing () const { return missing_; }

  private:
    void *object_;
    std::string prefix_;
    std::string missing_;
};

}  // namespace

void *library::find (const char *name) const noexcept { return dlsym (object, name); }

std::string library::load (const std::string &wanted, abi by)
{
    object = dlopen (wanted.c_str (), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr)
        return dlerror ();
    names = by;
    symbols table (object, names);
    table.find ("ctx_new", ctx_new);
    table.find ("ctx_set", ctx_set);
    table.find ("ctx_term", ctx_term);
    table.find ("socket", socket);
    table.find ("close", close);
    table.find ("bind", bind);
    table.find ("connect", connect);
    table.find ("setsockopt", setsockopt);
    table.find ("getsockopt", getsockopt);
    table.find ("send", send);
    table.find ("recv", recv);
    table.find ("msg_init", msg_init);
    table.find ("msg_init_size", msg_init_size);
    table.find ("msg_data", msg_data);
    table.find ("msg_size", msg_size);
    table.find ("msg_send", msg_send);
    table.find ("msg_recv", msg_recv);
    table.find ("msg_close", msg_close);
    table.find_optional ("send_packed", send_packed);
    table.find_optional ("recv_packed", recv_packed);
    table.find_optional ("join", join);
    table.find_optional ("msg_set_group", msg_set_group);
    table.find_optional ("msg_routing_id", msg_routing_id);
    table.find_optional ("msg_set_routing_id", msg_set_routing_id);
    table.find_optional ("curve_keypair", curve_keypair);
    table.find_optional ("disconnect", disconnect);
    table.find_optional ("poll", poll);
    table.find_optional ("proxy_steerable", proxy_steerable);
    table.find ("errno", error_number);
    table.find ("strerror", error_text);
    table.find ("version", get_version);
    if (!table.missing ().empty ())
        return wanted + " has no " + table.missing ();

    Dl_info where{};
    path = dladdr (reinterpret_cast<void *> (send), &where) != 0 ? where.dli_fname : wanted;
    int major = 0, minor = 0, patch = 0;
    get_version (&major, &minor, &patch);
    version = std::to_string (major) + "." + std::to_string (minor) + "." + std::to_string (patch);
    return {};
}

}  // namespace zlink::bench
