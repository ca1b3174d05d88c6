// The one function that libzlink_etcd.so exports (base/record_store.hpp).
#include "base/record_store.hpp"
#include "etcd/curl_poster.hpp"
#include "etcd/store.hpp"

extern "C" [[gnu::visibility ("default")]] zlink::base::errc
zlink_open_record_store (const zlink::base::record_store_wish &wish,
                         zlink::base::record_store **made) noexcept
{
    using namespace zlink;
    if (wish.version != base::record_store_version)
        return base::errc::not_supported;
    base::result<std::unique_ptr<base::record_store>> opened =
      etcd::store::open (wish, etcd::make_curl_poster);
    if (!opened)
        return opened.code ();
    *made = std::move (opened).value ().release ();
    return base::errc::ok;
}
