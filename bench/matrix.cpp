#include "bench/matrix.hpp"

#include <algorithm>
#include <span>

namespace zlink::bench {

namespace {

constexpr const char *quick_filters[] = {"PAIR,PUSH_PULL/64,1024,65536/throughput",
                                         "PAIR/64,1024,65536/latency"};

// Impossible combinations fall out by themselves.
constexpr const char *plain_filters[] = {
  "PAIR,PUSH_PULL,DEALER_DEALER,DEALER_ROUTER,ROUTER_ROUTER,PUB_SUB,REQ_REP,STREAM/throughput,latency",
  "ROUTER_ROUTER/throughput+poll,latency+poll",
  // libzmq has none of these: ours alone, against the floor.
  "PAIR,PUSH_PULL,DEALER_DEALER,DEALER_ROUTER,ROUTER_ROUTER,PUB_SUB,REQ_REP,STREAM/tls,ws,wss/"
  "64,256,1024,8192,65536,131072,262144/throughput,latency",
  "GATEWAY/tcp,ipc,inproc,tls,ws,wss/throughput,latency",
  "SPOT/tcp,ipc,inproc,tls,ws,wss/throughput",
  "SPOT/tcp,ipc,inproc,tls,ws,wss/64/latency",
};

constexpr const char *more_filters[] = {
  "PAIR,PUSH_PULL,DEALER_DEALER,DEALER_ROUTER,ROUTER_ROUTER,PUB_SUB,STREAM/latency-one",
  "PAIR,PUSH_PULL,DEALER_DEALER,DEALER_ROUTER,ROUTER_ROUTER,PUB_SUB,REQ_REP,STREAM/"
  "throughput+processes,latency+processes",
  "PAIR,PUSH_PULL,DEALER_ROUTER,PUB_SUB,REQ_REP/throughput+pinned,latency+pinned,throughput+io2,latency+io2,"
  "throughput+pinned+io2,latency+pinned+io2",
  "PAIR,DEALER_ROUTER/64,1024/open-1k,open-10k,open-100k,burst",
  "PUB_SUB/64,1024,65536/throughput+fan1,throughput+fan2,throughput+fan4,throughput+fan8",
  "DEALER_ROUTER,PUSH_PULL/64,1024/throughput+peers100",
  "DEALER_ROUTER/64,1024/pipelined+peers100",
  "GATEWAY,SPOT/throughput+processes,latency+processes",
  "SPOT/64,1024/throughput+fan1,throughput+fan2,throughput+fan4,throughput+fan8",
  "GATEWAY,DEALER_ROUTER/tcp,ipc,inproc,tls,ws,wss/64,1024/pipelined",
};

void add_all (std::span<const char *const> filters, std::vector<cell> *to)
{
    for (const char *filter : filters)
        for (cell &one : select_cells (filter))
            if (std::find (to->begin (), to->end (), one) == to->end ())
                to->push_back (std::move (one));
}

}  // namespace

std::vector<cell> cells_of (matrix wanted)
{
    std::vector<cell> cells;
    if (wanted == matrix::quick) {
        add_all (quick_filters, &cells);
        return cells;
    }
    add_all (plain_filters, &cells);
    if (wanted == matrix::full)
        add_all (more_filters, &cells);
    return cells;
}

std::vector<std::string_view> patterns_not_built ()
{
    std::vector<std::string_view> missing = {"GATEWAY", "SPOT"};
    for (const pattern &each : patterns ())
        std::erase (missing, each.name);
    return missing;
}

}  // namespace zlink::bench
