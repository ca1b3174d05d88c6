/* The tests that czmq holds of itself, in Debian's library: czmq_selftests
 * NAME runs that of one class, in a folder that may be written to; without a
 * name it says what there is. A test that fails aborts.
 */
#include <czmq.h>

struct test
{
    const char *name;
    void (*run) (bool verbose);
};

/* Of the classes that have to do with libzmq. */
static const struct test tests[] = {
  {"zactor", zactor_test},
  {"zauth", zauth_test},
  {"zbeacon", zbeacon_test},
  {"zcert", zcert_test},
  {"zcertstore", zcertstore_test},
  {"zframe", zframe_test},
  {"zgossip", zgossip_test},
  {"zloop", zloop_test},
  {"zmonitor", zmonitor_test},
  {"zmsg", zmsg_test},
  {"zpoller", zpoller_test},
  {"zproxy", zproxy_test},
  {"zsock", zsock_test},
  {"zstr", zstr_test},
  {"zsys", zsys_test},
};

int main (int count, char **words)
{
    for (size_t i = 0; i != sizeof tests / sizeof tests[0]; ++i) {
        if (count == 1)
            puts (tests[i].name);
        else if (streq (words[1], tests[i].name)) {
            tests[i].run (false);
            return 0;
        }
    }
    return count == 1 ? 0 : 2;
}
