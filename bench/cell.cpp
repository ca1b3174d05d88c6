#include "bench/cell.hpp"

#include <algorithm>
#include <charconv>

#include "bench/library.hpp"

namespace zlink::bench {

const std::vector<pattern> &patterns ()
{
    static const std::vector<pattern> table = {
      {"PAIR", number::pair, number::pair, true},
      {"PUSH_PULL", number::push, number::pull, false},
      {"DEALER_DEALER", number::dealer, number::dealer, true},
      {"DEALER_ROUTER", number::dealer, number::router, true},
      {"ROUTER_ROUTER", number::router, number::router, true},
      {"PUB_SUB", number::pub, number::sub, false},
      {"REQ_REP", number::req, number::rep, true},
      {"STREAM", number::stream, number::stream, true},
      {"CLIENT_SERVER", number::client, number::server, true},
      {"RADIO_DISH", number::radio, number::dish, false},
      {"GATEWAY", number::router, number::router, true, true},
      {"SPOT", number::pub, number::sub, false, true},
    };
    return table;
}

const std::vector<metric_facts> &metrics ()
{
    using enum direction;
    static const std::vector<metric_facts> table = {
      {metric::throughput, "throughput", "msg/s", higher_is_better, 0.65},
      {metric::latency, "latency", "us", lower_is_better, 0.5},
      {metric::latency_one, "latency-one", "us", lower_is_better, 0.5},
      {metric::latency_fd, "latency-fd", "us", lower_is_better, 0.5},
      {metric::pipelined, "pipelined", "msg/s", higher_is_better, 0.65},
      {metric::burst, "burst", "us", lower_is_better, 1.0},
      {metric::open_1k, "open-1k", "us", lower_is_better, 1.2, 1'000},
      {metric::open_10k, "open-10k", "us", lower_is_better, 0.7, 10'000},
      {metric::open_100k, "open-100k", "us", lower_is_better, 0.7, 100'000},
      {metric::open_300k, "open-300k", "us", lower_is_better, 0.7, 300'000},
      {metric::idle, "idle", "B", lower_is_better, 5.0},
      {metric::publish_10, "publish-10", "us", lower_is_better, 0.7},
      {metric::publish_1m, "publish-1m", "us", lower_is_better, 8.0},
      {metric::publish_all, "publish-all", "us", lower_is_better, 8.0},
      {metric::handshakes, "handshakes", "1/s", higher_is_better, 0.9},
      {metric::mesh_32, "mesh-32", "us", lower_is_better, 7.0},
      {metric::watchers_100, "watchers-100", "us", lower_is_better, 12.0},
    };
    return table;
}

const metric_facts &facts_of (metric m)
{
    const auto &table = metrics ();
    return *std::find_if (table.begin (), table.end (),
                          [m] (const metric_facts &row) { return row.id == m; });
}

bool publishes (const pattern &wiring) noexcept
{
    return wiring.sender_type == number::pub || wiring.sender_type == number::radio;
}

bool counts_scale (metric m) noexcept
{
    return m == metric::idle || m == metric::publish_10 || m == metric::publish_1m || m == metric::publish_all
           || m == metric::mesh_32 || m == metric::watchers_100;
}

namespace {

struct modifier_name
{
    std::string_view name;
    bool modifiers::*flag;
};

constexpr modifier_name modifier_names[] = {
  {"onecpu", &modifiers::one_cpu},
  {"pinned", &modifiers::pinned},
  {"busy", &modifiers::busy},
  {"io2", &modifiers::two_io},
  {"processes", &modifiers::processes},
  {"nospin", &modifiers::no_spin},
  {"message", &modifiers::message},
  {"batch", &modifiers::batch},
  {"zmqmarks", &modifiers::zmq_marks},
  {"threads8", &modifiers::threads8},
  {"peers100", &modifiers::peers100},
  {"turns", &modifiers::turns},
  {"poll", &modifiers::poll},
  {"drop", &modifiers::drop},
  {"fan1", &modifiers::fan1},
  {"fan2", &modifiers::fan2},
  {"fan4", &modifiers::fan4},
  {"fan8", &modifiers::fan8},
  {"curve", &modifiers::curve},
  {"resumed", &modifiers::resumed},
  {"io3", &modifiers::three_io},
  {"io4", &modifiers::four_io},
  {"kernel64k", &modifiers::kernel_64k},
  {"kernel256k", &modifiers::kernel_256k},
  {"kernel1m", &modifiers::kernel_1m},
  {"kernel4m", &modifiers::kernel_4m},
  {"batches16k", &modifiers::batches_16k},
  {"batches64k", &modifiers::batches_64k},
  {"batches256k", &modifiers::batches_256k},
};

constexpr metric plain_metrics[] = {metric::throughput, metric::latency, metric::latency_one};

std::vector<std::string_view> split (std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t at = text.find (separator);
        parts.push_back (text.substr (0, at));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix (at + 1);
    }
}

struct named_metric
{
    metric id;
    modifiers with;
};

// What a filter has named so far. Empty lists: not named.
struct selection
{
    std::vector<std::size_t> pattern_indices;
    std::vector<std::string> transports;
    std::vector<std::size_t> sizes;
    std::vector<named_metric> metrics;
    modifiers with;  // of all of them
};

bool take_pattern (std::string_view word, selection *into)
{
    for (std::size_t i = 0; i < patterns ().size (); ++i)
        if (patterns ()[i].name == word) {
            into->pattern_indices.push_back (i);
            return true;
        }
    return false;
}

bool is_own (std::string_view transport)
{
    return std::find (std::begin (own_transports), std::end (own_transports), transport)
           != std::end (own_transports);
}

bool take_transport (std::string_view word, selection *into)
{
    if (std::find (std::begin (transports), std::end (transports), word) == std::end (transports)
        && !is_own (word))
        return false;
    into->transports.emplace_back (word);
    return true;
}

bool take_size (std::string_view word, selection *into)
{
    std::size_t value = 0;
    const auto [end, failure] = std::from_chars (word.data (), word.data () + word.size (), value);
    if (failure != std::errc () || value == 0)
        return false;
    const std::string_view unit (end, static_cast<std::size_t> (word.data () + word.size () - end));
    if (unit == "K" || unit == "k")
        value *= 1024;
    else if (!unit.empty ())
        return false;
    constexpr std::size_t size_smallest = 32;
    constexpr std::size_t size_largest = std::size_t{64} << 20;
    if (value < size_smallest || value > size_largest)
        return false;
    into->sizes.push_back (value);
    return true;
}

bool take_modifier (std::string_view word, modifiers *into)
{
    const auto found = std::find_if (std::begin (modifier_names), std::end (modifier_names),
                                     [&] (const modifier_name &row) { return row.name == word; });
    if (found == std::end (modifier_names))
        return false;
    into->*found->flag = true;
    return true;
}

modifiers both (const modifiers &one, const modifiers &other)
{
    modifiers merged;
    for (const modifier_name &row : modifier_names)
        merged.*row.flag = one.*row.flag || other.*row.flag;
    return merged;
}

bool take_metric (std::string_view word, selection *into)
{
    const std::vector<std::string_view> parts = split (word, '+');
    modifiers with;
    for (std::size_t i = 1; i < parts.size (); ++i)
        if (!take_modifier (parts[i], &with))
            return false;
    if (parts[0].empty ()) {
        into->with = both (into->with, with);
        return parts.size () > 1;
    }
    for (const metric_facts &row : metrics ())
        if (row.name == parts[0]) {
            into->metrics.push_back ({row.id, with});
            return true;
        }
    return false;
}

bool take_word (std::string_view word, selection *into)
{
    return word == "*" || take_pattern (word, into) || take_transport (word, into) || take_size (word, into)
           || take_metric (word, into);
}

std::optional<selection> parse_selection (std::string_view text)
{
    selection named;
    for (const std::string_view part : split (text, '/'))
        for (const std::string_view word : split (part, ','))
            if (!take_word (word, &named))
                return std::nullopt;
    return named;
}

void fill_defaults (selection *named)
{
    if (named->pattern_indices.empty ())
        named->pattern_indices = {0, 1};
    if (named->transports.empty ())
        named->transports.assign (std::begin (transports), std::end (transports));
    if (named->sizes.empty ())
        named->sizes.assign (std::begin (sizes), std::end (sizes));
    if (named->metrics.empty ())
        for (const metric plain : plain_metrics)
            named->metrics.push_back ({plain, {}});
}

}  // namespace

std::string cell::metric_name () const
{
    std::string text (facts_of (measured).name);
    for (const modifier_name &row : modifier_names)
        if (with.*row.flag)
            text.append ("+").append (row.name);
    return text;
}

std::string cell::name () const
{
    std::string text (wiring ().name);
    return text.append ("/")
      .append (transport)
      .append ("/")
      .append (std::to_string (size_bytes))
      .append ("/")
      .append (metric_name ());
}

std::string words_of_cells ()
{
    std::string text = "Patterns:";
    for (const pattern &row : patterns ())
        text.append (" ").append (row.name);
    text += ". Metrics:";
    for (const metric_facts &row : metrics ())
        text.append (" ").append (row.name);
    text += ". Modifiers:";
    for (const modifier_name &row : modifier_names)
        text.append (" +").append (row.name);
    return text + ".";
}

std::optional<cell> parse_cell (std::string_view text)
{
    const std::optional<selection> named = parse_selection (text);
    if (!named)
        return std::nullopt;
    cell parsed;
    if (!named->pattern_indices.empty ())
        parsed.pattern_index = named->pattern_indices[0];
    if (!named->transports.empty ())
        parsed.transport = named->transports[0];
    if (!named->sizes.empty ())
        parsed.size_bytes = named->sizes[0];
    parsed.with = named->with;
    if (!named->metrics.empty ()) {
        parsed.measured = named->metrics[0].id;
        parsed.with = both (named->with, named->metrics[0].with);
    }
    return parsed;
}

std::vector<cell> select_cells (std::string_view filter)
{
    std::optional<selection> named = parse_selection (filter);
    if (!named)
        return {};
    fill_defaults (&*named);
    std::vector<cell> cells;
    for (const named_metric &measured : named->metrics)
        for (const std::size_t pattern_index : named->pattern_indices)
            for (const std::string &transport : named->transports)
                for (const std::size_t size_bytes : named->sizes) {
                    const cell wanted{pattern_index, transport, size_bytes, measured.id,
                                      both (named->with, measured.with)};
                    if (possible (wanted))
                        cells.push_back (wanted);
                }
    return cells;
}

namespace {

bool has_type (const pattern &wiring, int type)
{
    return wiring.sender_type == type || wiring.receiver_type == type;
}

// CLIENT and SERVER, RADIO and DISH.
bool takes_one_part (const pattern &wiring) { return wiring.sender_type >= number::server; }

// Several senders, several receivers, batches: only streams have them, and requests of several
// clients.
bool only_of_streams (const modifiers &with)
{
    return with.threads8 || with.peers100 || with.batch || with.drop || with.fan () != 0;
}

// Requests that are answered by whom they name.
bool pipeline_possible (const cell &wanted)
{
    const pattern &wiring = wanted.wiring ();
    modifiers known = wanted.with;
    known.peers100 = known.peers100 && wiring.services;
    return ((wiring.services && !publishes (wiring))
            || (wiring.sender_type == number::dealer && wiring.receiver_type == number::router))
           && !only_of_streams (known) && !wanted.with.poll && !wanted.with.turns;
}

// Many topics in one node, many nodes, or many providers.
bool service_scale_possible (const cell &wanted)
{
    if (wanted.with != modifiers{})
        return false;
    const bool of_topics = publishes (wanted.wiring ());
    switch (wanted.measured) {
    case metric::watchers_100:
        return !of_topics && wanted.transport == "tcp";
    case metric::mesh_32:
        return of_topics && wanted.transport == "tcp";
    case metric::publish_10:
    case metric::publish_1m:
        return of_topics && wanted.transport == "inproc";
    default:
        return false;
    }
}

// Of services: one way, one request at a time, or many, and fans of topics; the calls are
// those of zlink.h.
bool services_possible (const cell &wanted)
{
    const modifiers &with = wanted.with;
    if (!wanted.wiring ().services)
        return true;
    if (counts_scale (wanted.measured))
        return service_scale_possible (wanted);
    const bool plain = wanted.measured == metric::throughput || wanted.measured == metric::latency
                       || wanted.measured == metric::pipelined;
    modifiers common = with;
    if (publishes (wanted.wiring ()))
        common.fan1 = common.fan2 = common.fan4 = common.fan8 = false;
    return plain && !only_of_streams (common) && !with.message && with.kernel_bytes () == 0 && !with.no_spin
           && !with.poll && !with.zmq_marks && !with.turns;
}

// Publishers are not met one by one, and only they have several receivers.
bool published_stream_possible (const modifiers &with)
{
    const bool fan = with.fan () != 0;
    return !with.peers100 && !(fan && (with.drop || with.threads8 || with.batch));
}

bool stream_possible (const cell &wanted)
{
    const modifiers &with = wanted.with;
    const pattern &wiring = wanted.wiring ();
    if (wiring.sender_type == number::req)  // one request at a time
        return false;
    if (with.peers100 && wiring.receiver_type == number::pair)  // it has one peer
        return false;
    // Parts of two threads would mix.
    if (with.threads8 && wiring.sender_type == number::router)
        return false;
    if (with.batch && (with.threads8 || with.message))
        return false;
    // A group and a number are a message's: they go by calls of their own.
    if (takes_one_part (wiring) && (with.batch || with.message || with.fan () != 0))
        return false;
    if (publishes (wiring))
        return published_stream_possible (with);
    return !with.drop && with.fan () == 0;
}

bool loop_possible (const cell &wanted)
{
    const modifiers &with = wanted.with;
    const bool requests = wanted.wiring ().sender_type == number::req;
    const bool two_threads = wanted.measured == metric::latency || wanted.measured == metric::latency_fd;
    if (wanted.measured == metric::pipelined)
        return pipeline_possible (wanted);
    if (only_of_streams (with) || (requests && !two_threads))
        return false;
    if (takes_one_part (wanted.wiring ()) && (with.message || !two_threads))
        return false;
    if (with.poll && wanted.measured != metric::latency)
        return false;
    return !with.processes || wanted.measured == metric::latency;
}

// Bytes as they are: one peer, through the kernel. Where a message ends only
// its size tells, and the descriptor says nothing about what is left of a chunk.
bool raw_possible (const cell &wanted)
{
    return wanted.transport != "inproc" && !only_of_streams (wanted.with) && !wanted.with.poll
           && wanted.measured != metric::latency_fd;
}

bool needs_kernel (const modifiers &with)
{
    return with.processes || with.kernel_bytes () != 0 || with.batch_bytes () != 0;
}

// Of what makes connections safe, between two processes.
bool handshakes_possible (const cell &wanted)
{
    const modifiers &with = wanted.with;
    modifiers known;
    known.curve = with.curve;
    known.resumed = with.resumed;
    const bool of_tls = wanted.transport == "tls" || wanted.transport == "wss";
    return wanted.wiring ().sender_type == number::dealer && wanted.wiring ().receiver_type == number::router
           && wanted.transport != "inproc" && with == known && (!with.resumed || of_tls);
}

// What nobody speaks within a process, nor where octets are as they are.
bool secured_possible (const cell &wanted)
{
    if (wanted.measured == metric::handshakes)
        return handshakes_possible (wanted);
    if (wanted.with.resumed || wanted.transport == "inproc" || counts_scale (wanted.measured)
        || has_type (wanted.wiring (), number::stream))
        return false;
    return wanted.measured == metric::throughput ? stream_possible (wanted) : loop_possible (wanted);
}

// These are wired in one way and take two processes each.
bool scale_possible (const cell &wanted)
{
    if (wanted.wiring ().services)
        return true;  // that was asked
    const int type = wanted.measured == metric::idle ? number::router : number::pub;
    const modifiers &with = wanted.with;
    return wanted.measured != metric::mesh_32 && wanted.measured != metric::watchers_100
           && wanted.wiring ().sender_type == type && wanted.transport != "inproc" && !only_of_streams (with)
           && !with.poll && !with.message;
}

}  // namespace

namespace {

bool contradicts_itself (const cell &wanted)
{
    return (wanted.transport == "inproc" && needs_kernel (wanted.with))
           || (wanted.with.one_cpu && wanted.with.pinned);
}

}  // namespace

bool has_rival (const cell &measured)
{
    // libzmq's sockets must not be shared by threads.
    return !measured.with.threads8 && !measured.wiring ().services && !is_own (measured.transport);
}

bool possible (const cell &wanted)
{
    const modifiers &with = wanted.with;
    if (contradicts_itself (wanted))
        return false;
    // A message of two parts has no message that is moved and no batch.
    const bool raw = has_type (wanted.wiring (), number::stream);
    const bool two_parts = raw || has_type (wanted.wiring (), number::router);
    if ((two_parts || with.poll) && (with.message || with.batch))
        return false;
    if ((raw && !raw_possible (wanted)) || !services_possible (wanted))
        return false;
    if (wanted.measured == metric::handshakes || with.resumed || with.curve)
        return secured_possible (wanted);
    if (counts_scale (wanted.measured))
        return scale_possible (wanted);
    return wanted.measured == metric::throughput ? stream_possible (wanted) : loop_possible (wanted);
}

}  // namespace zlink::bench
