#include "bench/worker_verb.hpp"

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/os.hpp"
#include "bench/roles.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

namespace {

struct worker_options
{
    std::string cell_name;
    std::string library_path;  // empty: the floor
    std::string directory;     // empty: one of its own
    double seconds = 0.4;
    bool zlink = false;
};

int run_worker_verb (const worker_options &options)
{
    const std::optional<cell> measured = parse_cell (options.cell_name);
    if (!measured)
        fail ("no such cell: " + options.cell_name);
    worker_task task;
    task.measured = *measured;
    task.library_path = options.library_path;
    task.names = options.zlink ? abi::zlink : abi::zmq;
    task.seconds = options.seconds;
    const bool own_directory = options.directory.empty ();
    task.directory = own_directory ? os::make_directory () : options.directory;
    const outcome found = run_worker (task);
    if (own_directory)
        os::remove_directory (task.directory);
    fmt::print ("{}\n", format_outcome (found));
    return 0;
}

}  // namespace

std::function<int ()> prepare_worker_verb (CLI::App &command)
{
    auto options = std::make_shared<worker_options> ();
    command.add_option ("--cell", options->cell_name)->required ();
    command.add_option ("--library", options->library_path);
    command.add_option ("--directory", options->directory);
    command.add_option ("--seconds", options->seconds);
    command.add_flag ("--zlink", options->zlink);
    return [options] { return run_worker_verb (*options); };
}

}  // namespace zlink::bench
