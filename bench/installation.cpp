#include "bench/installation.hpp"

#include <array>

#include "bench/os.hpp"

namespace zlink::bench {

std::string find_beside (const std::string &file, const std::string &name)
{
    const std::size_t slash = file.rfind ('/');
    const std::string folder = slash == std::string::npos ? "." : file.substr (0, slash);
    const std::string path = folder + "/" + name;
    return os::file_exists (path) ? os::canonical_path (path) : std::string ();
}

std::string find_own_library (const std::string &name)
{
    const std::string program = os::own_path ();
    const std::string installed = find_beside (program, "../lib/" + name);
    return installed.empty () ? find_beside (program, name) : installed;
}

std::string find_libzmq_with_drafts ()
{
    return find_beside (os::own_path (), "../../peers/libzmq/lib/libzmq.so.5");
}

std::string find_system_libzmq ()
{
    constexpr std::array folders = {"/usr/lib/x86_64-linux-gnu",
                                    "/usr/lib/aarch64-linux-gnu",
                                    "/usr/lib64",
                                    "/usr/lib",
                                    "/lib/x86_64-linux-gnu",
                                    "/usr/local/lib"};
    for (const char *folder : folders) {
        const std::string path = std::string (folder) + "/libzmq.so.5";
        if (os::file_exists (path))
            return os::canonical_path (path);
    }
    return {};
}

}  // namespace zlink::bench
