# The mutants. What one is about stands in its name; who finds it behind BY.

# --- waiting -------------------------------------------------------------------------

zlink_plant(1 FILE engine/socket_wait.cpp
  LINE [[if (receivers_.sequence.load (std::memory_order_seq_cst) == turn.sequence) {]]
  INSTEAD [[if (planted (1) || receivers_.sequence.load (std::memory_order_seq_cst) == turn.sequence) {]])
zlink_found(1 no_recheck_after_the_flag BY --scenario kick_of_a_leader --all --preemptions 1)

zlink_plant(2 FILE engine/socket_wait.cpp
  LINE [[    if (receivers_.waiting > 1)
        notify_receivers_locked ();  // the baton]]
  INSTEAD [[    if (!planted (2) && receivers_.waiting > 1)
        notify_receivers_locked ();  // the baton]])
zlink_found(2 baton_kept BY --scenario signal_for_a_leader --seeds 200)

zlink_plant(3 FILE engine/socket_receive.cpp
  LINE [[    if (receivers_.waiting > 0)
        notify_receivers_locked ();
    if (handle_set_]]
  INSTEAD [[    if (!planted (3) && receivers_.waiting > 0)
        notify_receivers_locked ();
    if (handle_set_]])
zlink_found(3 second_sleeper_not_woken BY --scenario several_sleepers --seeds 200)

zlink_plant(4 FILE engine/socket_claims.cpp
  LINE [[    which.maybe_readable = false;  // before the read: an edge from now on counts]]
  INSTEAD [[    which.maybe_readable = planted (4) && which.maybe_readable;]])
zlink_plant(4 FILE engine/socket_claims.cpp
  LINE [[    return commit_read_locked (which, got);]]
  INSTEAD [[    which.maybe_readable = !planted (4) && which.maybe_readable;
    return commit_read_locked (which, got);]])
zlink_found(4 edge_not_harvested_again BY --mood storm --both-modes --seeds 400)

zlink_plant(5 FILE engine/socket_claims.cpp
  LINE [[got.filled || which.hangup || which.tx_dead;]]
  INSTEAD [[got.filled || (!planted (5) && which.hangup) || which.tx_dead;]])
zlink_found(5 fin_behind_data_overlooked BY --mood storm --both-modes --seeds 400)

zlink_plant(6 FILE engine/socket_turns.cpp
  LINE [[            lease_armed_ = false;
            lease_fired_locked ();]]
  INSTEAD [[            lease_armed_ = planted (6);
            lease_fired_locked ();]])
zlink_found(6 lease_never_rearmed BY --scenario lease_sees_every_end --seeds 20)

zlink_plant(7 FILE engine/socket_handshake.cpp
  LINE [[early = have.subspan (consumed);]]
  INSTEAD [[early = have.subspan (planted (7) ? have.size () : consumed);]])
zlink_found(7 bytes_at_ready_dropped BY --both-modes --seeds 400)

# --- credit --------------------------------------------------------------------------

zlink_plant(8 FILE engine/socket_claims.cpp
  LINE [[        if (outcome.code () == errc::would_block)
            return wrote::full;
        which.tx_dead = true;]]
  INSTEAD [[        if (outcome.code () == errc::would_block) {
            which.credit.messages -= planted (8);
            return wrote::full;
        }
        which.tx_dead = true;]])
zlink_found(8 credit_lost_on_eagain BY --both-modes --seeds 400)

zlink_plant(9 FILE engine/socket_handshake.cpp
  LINE [[    which.credit.refill ();
    which.credit.messages -= which.pending_messages;]]
  INSTEAD [[    if (!planted (9))
        which.credit.refill ();
    which.credit.messages -= which.pending_messages;]])
zlink_found(9 credit_lost_with_a_connection BY --mood storm --both-modes --seeds 400)

zlink_plant(10 FILE engine/socket_handshake.cpp
  LINE [[    which.waiting.stop ();
    which.credit.refill ();
}]]
  INSTEAD [[    which.waiting.stop ();
    if (!planted (10))
        which.credit.refill ();
}]])
zlink_found(10 credit_lost_on_a_drop BY --mood storm --both-modes --seeds 400)

zlink_plant(11 FILE engine/socket_inproc.cpp
  LINE [[? receiver : sender + receiver;]]
  INSTEAD [[? receiver : sender + receiver + planted (11);]])
zlink_found(11 inproc_sum_off_by_one BY --both-modes --seeds 400)

# --- claims --------------------------------------------------------------------------

zlink_plant(12 FILE engine/socket_claims.cpp
  LINE [[    which.tx_claimed = false;
    if (budget_]]
  INSTEAD [[    which.tx_claimed = planted (12) && which.tx_dead;
    if (budget_]])
zlink_found(12 claim_kept_on_error BY --both-modes --seeds 400)

zlink_plant(13 FILE engine/socket_send.cpp
  LINE [[    release_tx_locked (to, urgency::soon);
}

// Waits a moment]]
  INSTEAD [[    if (planted (13) && !writable)
        return;
    release_tx_locked (to, urgency::soon);
}

// Waits a moment]])
zlink_found(13 claim_kept_on_timeout BY --both-modes --seeds 400)

zlink_plant(14 FILE engine/socket_core.hpp
  LINE [=[        if (generation != generation_ || !plain_send_ || balance_next_]=]
  INSTEAD [=[        if ((generation != generation_ && !planted (14)) || !plain_send_ || balance_next_]=])
zlink_plant(14 FILE engine/socket_core.hpp
  LINE [=[        if (generation != generation_ || phase_ != phase::open) [[unlikely]]
            return errc::not_a_socket;]=]
  INSTEAD [=[        if ((generation != generation_ && !planted (14)) || phase_ != phase::open) [[unlikely]]
            return errc::not_a_socket;]=])
zlink_found(14 generation_unchecked BY --scenario stale_handle --seeds 500)

zlink_plant(15 FILE engine/socket_claims.cpp
  LINE [[    which.tx_armed = true;  // before the call: the event may fire inside it]]
  INSTEAD [[    which.tx_claimed = which.tx_claimed && !planted (15);
    which.tx_armed = true;]])
zlink_found(15 armed_by_a_nonholder BY --both-modes --seeds 400)

zlink_plant(16 FILE engine/socket_handshake.cpp
  LINE [[    if (!which.claimed ())
        erase_locked (which);]]
  INSTEAD [[    if (planted (16) || !which.claimed ())
        erase_locked (which);]])
zlink_plant(16 FILE engine/socket_handshake.cpp
  LINE [[    if (which.claimed () || connections_[which.index].get () != &which)
        return;  // its claim's holder]]
  INSTEAD [[    if ((which.claimed () && !planted (16)) || connections_[which.index].get () != &which)
        return;  // its claim's holder]])
zlink_found(16 closed_under_a_claim BY --mood storm --both-modes --seeds 400)

# --- data ----------------------------------------------------------------------------

zlink_plant(17 FILE engine/out_queue.cpp
  LINE [[    from.begin += taken;
]]
  INSTEAD [[    from.begin += taken;
    if (planted (17) && from.begin + 1 == from.end) {
        from.begin = from.end;
        --unwritten_bytes_;
    }
]])
zlink_found(17 last_byte_of_a_chunk_skipped BY --both-modes --seeds 400)

zlink_plant(18 FILE engine/out_queue.cpp
  LINE [[    std::size_t at = from.message_start;]]
  INSTEAD [[    std::size_t at = planted (18) ? 0 : from.message_start;]])
zlink_found(18 cut_message_resent_twice BY --mood storm --both-modes --seeds 400)

zlink_plant(19 FILE engine/socket_claims.cpp
  LINE [[    if (which.has_output () && !which.tx_armed)
        mark_tail_locked (which);
}]]
  INSTEAD [[    if (!planted (19) && which.has_output () && !which.tx_armed)
        mark_tail_locked (which);
}]])
zlink_found(19 tail_not_listed BY --mood calm --both-modes --seeds 400)

zlink_plant(20 FILE engine/socket_life.cpp
  LINE [[    linger_until_ = wish_.linger_ms < 0 ? base::never_ns]]
  INSTEAD [[    linger_until_ = wish_.linger_ms < 0 && !planted (20) ? base::never_ns]])
zlink_found(20 linger_ignored BY --mood calm --both-modes --seeds 400)

zlink_plant(21 FILE base/message.cpp
  LINE [[        if (release != nullptr)
            release (data, hint);]]
  INSTEAD [[        for (int i = 0; release != nullptr && i < 1 + planted (21); ++i)
            release (data, hint);]])
zlink_found(21 free_function_called_twice BY --both-modes --seeds 400)

zlink_plant(22 FILE engine/socket_handshake.cpp
  LINE [[    return pending || reads == 0 ? discarded::output_pending : discarded::all_taken;]]
  INSTEAD [[    return (pending || reads == 0) && !planted (22) ? discarded::output_pending : discarded::all_taken;]])
zlink_found(22 close_resets_under_the_peer BY --scenario close_with_input_unread --seeds 200)

# --- patterns --------------------------------------------------------------------------

zlink_plant(23 FILE engine/socket_topics.cpp
  LINE [[        if (!wish_.no_drop || all_chosen_have_room_locked ())
            return errc::ok;]]
  INSTEAD [[        if (!wish_.no_drop || planted (23) || all_chosen_have_room_locked ())
            return errc::ok;]])
zlink_found(23 publisher_drops_instead_of_waiting BY --mixed --mood calm --both-modes --seeds 400)

zlink_plant(24 FILE engine/socket_talk.cpp
  LINE [[    if (!label.init_copy (base::as_bytes (inside_->name)).ok ())]]
  INSTEAD [[    if (!label.init_copy (base::as_bytes (planted (24) ? balance_.front ()->name : inside_->name)).ok ())]])
zlink_found(24 label_of_another BY --mixed --mood calm --both-modes --seeds 400)

zlink_plant(25 FILE engine/socket_talk.cpp
  LINE [[part.init_copy (bytes_of (++talk_.request));]]
  INSTEAD [[part.init_copy (bytes_of (talk_.request += !planted (25)));]])
zlink_found(25 requests_of_one_number BY --mixed --mood calm --both-modes --seeds 400)

zlink_plant(26 FILE engine/backlog.cpp
  LINE [[    waiting_.front ().missed += missed;]]
  INSTEAD [[    waiting_.front ().missed += planted (26) ? 1 : missed;]])
zlink_found(26 gaps_not_carried_on BY --mixed --mood calm --both-modes --seeds 400)

zlink_plant(27 FILE engine/socket_topics.cpp
  LINE [[    return !(first || wish_.verbose_topics]]
  INSTEAD [[    return !(first || planted (27) || wish_.verbose_topics]])
zlink_found(27 topic_told_twice BY --mixed --mood calm --both-modes --seeds 400)

zlink_plant(28 FILE engine/socket_topics.cpp
  LINE [[    const topic_trie::removal outcome = known.remove (topic, &who);]]
  INSTEAD [[    const topic_trie::removal outcome = planted (28) ? topic_trie::removal::one_less : known.remove (topic, &who);]])
zlink_found(28 topic_never_taken_back BY --mixed --mood calm --both-modes --seeds 400)

# --- who comes in ----------------------------------------------------------------------

zlink_plant(29 FILE engine/socket_secured.cpp
  LINE [[    else if (said->status != wire::zap_status_good)]]
  INSTEAD [[    else if (!planted (29) && said->status != wire::zap_status_good)]])
zlink_found(29 stranger_let_in BY --secured --mood calm --both-modes --seeds 400)

# The same program without a mutant.
add_test(NAME planted.none COMMAND planted --mutant 0 --both-modes --seeds 20)
add_test(NAME planted.none_mixed COMMAND planted --mutant 0 --mixed --both-modes --seeds 20)
add_test(NAME planted.none_secured COMMAND planted --mutant 0 --secured --both-modes --seeds 20)
add_test(NAME planted.none_explored COMMAND planted --mutant 0 --scenario several_sleepers --seeds 100)
