package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"strings"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/plain"
)

// Types and options have libzmq's numbers.
const (
	kindPair = 0
	kindPull = 7
	kindPush = 8
	kindXPub = 9

	optionRoutingID     = 5
	optionSubscribe     = 6
	optionUnsubscribe   = 7
	optionLinger        = 17
	optionRcvtimeo      = 27
	optionSndtimeo      = 28
	optionPlainServer   = 44
	optionPlainUsername = 45
	optionPlainPassword = 46
	optionXpubNodrop    = 69
)

var constructors = map[int]func(context.Context, ...zmq4.Option) zmq4.Socket{
	kindPair: zmq4.NewPair,
	1:        zmq4.NewPub,
	2:        zmq4.NewSub,
	3:        zmq4.NewReq,
	4:        zmq4.NewRep,
	5:        zmq4.NewDealer,
	6:        zmq4.NewRouter,
	kindPull: zmq4.NewPull,
	kindPush: zmq4.NewPush,
	kindXPub: zmq4.NewXPub,
	10:       zmq4.NewXSub,
}

var errNothing = errors.New("nothing now")

// What a receive brought.
type arrival struct {
	parts [][]byte
	err   error
}

// A socket is made at the first call that needs it: its options are given then.
// A receive that was begun goes on when nobody waits for it any more; its outcome is there for the next who does.
type socket struct {
	kind       int
	options    []zmq4.Option
	username   string
	password   string
	plain      bool
	topics     []string
	asked      map[string]bool
	it         zmq4.Socket
	underWay   bool
	arrivals   chan arrival
	early      *arrival
	abandoning context.CancelFunc
}

func newSocket(kind int, options ...zmq4.Option) *socket {
	return &socket{kind: kind, options: options, asked: map[string]bool{}, arrivals: make(chan arrival, 1)}
}

func (s *socket) made() zmq4.Socket {
	if s.it != nil {
		return s.it
	}
	if s.plain {
		s.options = append(s.options, zmq4.WithSecurity(plain.Security(s.username, s.password)))
	}
	options := append(s.options, zmq4.WithLogger(log.New(io.Discard, "", 0)), zmq4.WithDialerMaxRetries(-1),
		zmq4.WithDialerRetry(20*time.Millisecond))
	life, abandon := context.WithCancel(context.Background())
	s.it, s.abandoning = constructors[s.kind](life, options...), abandon
	for _, topic := range s.topics {
		_ = s.it.SetOption(zmq4.OptionSubscribe, topic)
	}
	return s.it
}

func (s *socket) set(option int, value []byte) error {
	switch option {
	case optionRoutingID:
		s.options = append(s.options, zmq4.WithID(zmq4.SocketIdentity(value)))
	case optionSubscribe:
		if s.it == nil {
			s.topics = append(s.topics, string(value))
			return nil
		}
		return s.it.SetOption(zmq4.OptionSubscribe, string(value))
	case optionUnsubscribe:
		return s.made().SetOption(zmq4.OptionUnsubscribe, string(value))
	case optionPlainServer:
		s.plain = true
	case optionPlainUsername:
		s.plain, s.username = true, string(value)
	case optionPlainPassword:
		s.plain, s.password = true, string(value)
	case optionLinger, optionRcvtimeo, optionSndtimeo:
	case optionXpubNodrop: // So it does anyway.
	default:
		return fmt.Errorf("no option %d", option)
	}
	return nil
}

func (s *socket) attach(how, endpoint string) (string, error) {
	if how == "connect" {
		// It waits until both have shaken hands, for which whoever asks may be needed.
		it := s.made()
		go func() { _ = it.Dial(endpoint) }()
		return endpoint, nil
	}
	if strings.HasSuffix(endpoint, ":*") {
		endpoint = strings.TrimSuffix(endpoint, "*") + "0"
	}
	if err := s.made().Listen(endpoint); err != nil {
		return "", err
	}
	if address, ok := s.it.Addr().(*net.TCPAddr); ok {
		return fmt.Sprintf("tcp://127.0.0.1:%d", address.Port), nil
	}
	return endpoint, nil
}

func (s *socket) send(parts [][]byte) error {
	message := zmq4.NewMsgFrom(parts...)
	if len(parts) == 1 {
		return s.made().Send(message)
	}
	return s.made().SendMulti(message)
}

// nobody: a REQ does not wait for somebody to talk to.
func nobody(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no connections available")
}

// sendWithin waits for somebody to send to where the library does not.
func (s *socket) sendWithin(patience time.Duration, parts [][]byte) error {
	for until := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		err := s.send(parts)
		if !nobody(err) {
			return err
		}
		if time.Now().After(until) {
			return errNothing
		}
	}
}

func (s *socket) begin() {
	if s.underWay {
		return
	}
	s.underWay = true
	it := s.made()
	go func() {
		message, err := it.Recv()
		s.arrivals <- arrival{message.Frames, err}
	}()
}

// change of what an XPUB is asked for, as the message that it would be elsewhere; nil when there is none. Here an XPUB
// does not receive it, and answers what it is asked for now.
func (s *socket) change() [][]byte {
	topics, tells := s.made().(zmq4.Topics)
	if s.kind != kindXPub || !tells {
		return nil
	}
	now := map[string]bool{}
	for _, topic := range topics.Topics() {
		now[topic] = true
		if !s.asked[topic] {
			s.asked[topic] = true
			return [][]byte{append([]byte{1}, topic...)}
		}
	}
	for topic := range s.asked {
		if !now[topic] {
			delete(s.asked, topic)
			return [][]byte{append([]byte{0}, topic...)}
		}
	}
	return nil
}

// wait for something to receive, at most so long.
func (s *socket) wait(most time.Duration) {
	if s.kind != kindXPub {
		s.waitForMessage(most)
		return
	}
	for until := time.Now().Add(most); s.early == nil; {
		if asked := s.change(); asked != nil {
			s.early = &arrival{parts: asked}
			return
		}
		s.waitForMessage(time.Millisecond)
		if time.Now().After(until) {
			return
		}
	}
}

func (s *socket) waitForMessage(most time.Duration) {
	if s.early != nil || !s.receives() {
		return
	}
	s.begin()
	patience := time.NewTimer(most)
	defer patience.Stop()
	select {
	case some := <-s.arrivals:
		s.underWay, s.early = false, &some
	case <-patience.C:
	}
}

func (s *socket) receives() bool {
	return s.kind != 1 && s.kind != kindPush
}

func (s *socket) receive() ([][]byte, error) {
	s.wait(0)
	if s.early == nil {
		return nil, errNothing
	}
	some := *s.early
	s.early = nil
	if nobody(some.err) {
		return nil, errNothing
	}
	return some.parts, some.err
}

func (s *socket) close() {
	if s.it != nil {
		s.abandoning()
		_ = s.it.Close()
	}
}
