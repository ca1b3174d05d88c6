package main

import (
	"fmt"

	"github.com/go-zeromq/zmq4"
)

// An echo; the contract is in conversations.py.
func echo(pattern string, ends []string) error {
	kinds := []int{kindPull, kindPush}
	if pattern == "pair" {
		kinds = []int{kindPair}
	}
	made := []*socket{}
	for index, kind := range kinds {
		how, endpoint := ends[2*index], ends[2*index+1]
		// One that listens would dial itself.
		s := newSocket(kind, zmq4.WithAutomaticReconnect(how == "connect"))
		end, err := s.attach(how, endpoint)
		if err != nil {
			return err
		}
		if how == "bind" {
			fmt.Println("bound", end)
		}
		made = append(made, s)
	}
	source, sink := made[0], made[len(made)-1]
	for {
		// Both tell of peers that have gone; others are there, or come.
		if message, err := source.made().Recv(); err == nil {
			_ = sink.made().SendMulti(zmq4.NewMsgFrom(message.Frames...))
		}
	}
}
