/* What needs no socket. */
#include <string.h>

#include "program.h"

static void fire (int timer_id, void *argument)
{
    (void)timer_id;
    ++*(int *)argument;
}

static void use_timers (void)
{
    int fired = 0, one, other;
    void *timers = zlink_timers_new ();
    expect (timers != NULL && zlink_timers_timeout (timers) == -1, "timers_new");
    one = zlink_timers_add (timers, 100000, fire, &fired);
    other = zlink_timers_add (timers, 100000, fire, &fired);
    expect (zlink_timers_cancel (timers, other) == 0 && zlink_timers_reset (timers, one) == 0,
            "cancel, reset");
    expect (zlink_timers_set_interval (timers, one, 0) == 0 && zlink_timers_timeout (timers) == 0,
            "set_interval");
    expect (zlink_timers_execute (timers) == 0 && fired == 1, "timers_execute");
    expect (zlink_timers_destroy (&timers) == 0 && timers == NULL, "timers_destroy");
}

static void count_in_thread (void *argument) { zlink_atomic_counter_inc (argument); }

void use_utilities (void)
{
    void *counter = zlink_atomic_counter_new (), *watch = zlink_stopwatch_start (), *thread;
    zlink_atomic_counter_set (counter, 1);
    expect (zlink_atomic_counter_inc (counter) == 1 && zlink_atomic_counter_dec (counter) == 1, "inc, dec");
    thread = zlink_threadstart (count_in_thread, counter);
    zlink_threadclose (thread);
    expect (zlink_atomic_counter_value (counter) == 2, "atomic_counter_value");
    zlink_atomic_counter_destroy (&counter);
    expect (counter == NULL, "atomic_counter_destroy");
    zlink_sleep (0);
    expect (zlink_stopwatch_intermediate (watch) <= zlink_stopwatch_stop (watch), "stopwatch");
    expect (zlink_has ("tcp") == 1 && zlink_has ("ipc") == 1 && zlink_has ("pgm") == 0, "has");
    expect (strlen (zlink_strerror (EFSM)) > 0 && EFSM == ZLINK_HAUSNUMERO + 51
              && ETERM == ZLINK_HAUSNUMERO + 53,
            "errors");
    use_timers ();
}
