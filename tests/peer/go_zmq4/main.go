// Sockets of go-zeromq/zmq4 for the process that this one is a child of; the contract is in remote.py. With arguments it
// is an echo, see echo.go.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

const (
	fieldsMax = 10_000
	// As long as a call of ours waits, see ours.py.
	patience = 20 * time.Second
)

type sockets struct {
	made map[int]*socket
	next int
}

func (all *sockets) serve(asked [][]byte) ([][]byte, error) {
	verb := string(asked[0])
	number, err := strconv.Atoi(string(asked[1]))
	if err != nil {
		return nil, err
	}
	if verb == "socket" {
		if constructors[number] == nil {
			return nil, fmt.Errorf("no type %d", number)
		}
		all.next++
		all.made[all.next] = newSocket(number)
		return [][]byte{[]byte(strconv.Itoa(all.next))}, nil
	}
	s, rest := all.made[number], asked[2:]
	if s == nil {
		return nil, fmt.Errorf("no socket %d", number)
	}
	switch verb {
	case "number", "bytes":
		option, err := strconv.Atoi(string(rest[0]))
		if err != nil {
			return nil, err
		}
		return nil, s.set(option, rest[1])
	case "bind", "connect":
		end, err := s.attach(verb, string(rest[0]))
		return [][]byte{[]byte(end)}, err
	case "send":
		if string(rest[0]) != "0" {
			return nil, s.sendWithin(0, rest[1:])
		}
		return nil, s.sendWithin(patience, rest[1:])
	case "receive":
		return s.receive()
	case "wait":
		milliseconds, err := strconv.Atoi(string(rest[0]))
		s.wait(time.Duration(milliseconds) * time.Millisecond)
		return nil, err
	case "close":
		s.close()
		delete(all.made, number)
		return nil, nil
	}
	return nil, fmt.Errorf("no verb %s", verb)
}

func read(from io.Reader) ([][]byte, error) {
	var count, length uint32
	if err := binary.Read(from, binary.BigEndian, &count); err != nil {
		return nil, err
	}
	if count > fieldsMax {
		return nil, fmt.Errorf("%d fields", count)
	}
	fields := make([][]byte, count)
	for index := range fields {
		if err := binary.Read(from, binary.BigEndian, &length); err != nil {
			return nil, err
		}
		fields[index] = make([]byte, length)
		if _, err := io.ReadFull(from, fields[index]); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func write(to *bufio.Writer, fields [][]byte) error {
	said := binary.BigEndian.AppendUint32(nil, uint32(len(fields)))
	for _, field := range fields {
		said = binary.BigEndian.AppendUint32(said, uint32(len(field)))
		said = append(said, field...)
	}
	if _, err := to.Write(said); err != nil {
		return err
	}
	return to.Flush()
}

func answer(all *sockets, asked [][]byte) [][]byte {
	found, err := all.serve(asked)
	switch {
	case errors.Is(err, errNothing):
		return [][]byte{[]byte("nothing")}
	case err != nil:
		return [][]byte{[]byte("wrong"), []byte(err.Error())}
	}
	return append([][]byte{[]byte("done")}, found...)
}

func main() {
	if len(os.Args) > 1 {
		if err := echo(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	from, to := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	all := &sockets{made: map[int]*socket{}}
	for {
		asked, err := read(from)
		if err != nil {
			return
		}
		if err := write(to, answer(all, asked)); err != nil {
			return
		}
	}
}
