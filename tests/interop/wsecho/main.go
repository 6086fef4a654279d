// Command wsecho echoes web socket messages, as a client or as a server, with compression. The Autobahn test suite is run against it.
//
//	wsecho client ws://127.0.0.1:9001/runCase?case=1   connects and echoes until it is closed
//	wsecho server 127.0.0.1:9002                       serves until it is killed, and prints its address first
//	wsecho cases ws://127.0.0.1:9001 agent             runs all cases of a fuzzing server, and has it write its report
//
// It exits with 1 if the connection did not end with a close frame.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

func main() {
	log.SetFlags(0)
	args := os.Args[1:]
	var err error
	switch {
	case len(args) == 2 && args[0] == "client":
		err = client(args[1])
	case len(args) == 2 && args[0] == "server":
		err = serve(args[1], os.Stdout)
	case len(args) == 3 && args[0] == "cases":
		err = cases(args[1], args[2])
	default:
		err = errors.New("usage: wsecho client URL | server ADDRESS | cases URL AGENT")
	}
	if err != nil {
		log.Fatal("wsecho: ", err)
	}
}

// config takes part in every form of compression there is.
var config = okws.Config{Compression: okws.Compression{Threshold: -1, OfferClientWindow: true}, MaxMessage: 64 << 20}

// echo sends back what comes until the peer closes.
func echo(conn *okws.Conn) error {
	defer conn.CloseNow()
	ctx := context.Background()
	for m, err := range conn.Messages(ctx) {
		if err != nil {
			return err
		}
		if err := conn.Write(ctx, m.Type, m.Data); err != nil {
			return err
		}
	}
	return nil
}

func client(address string) error {
	c := okhttp.New()
	defer c.Close()
	conn, err := okws.Dial(context.Background(), c, address, &config)
	if err != nil {
		return err
	}
	return echo(conn)
}

func serve(address string, out io.Writer) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, &okws.AcceptConfig{Config: config, Origins: []string{"*"}})
		if err == nil {
			_ = echo(conn) // the suite knows how it ends
		}
	}))
}

// cases runs what a fuzzing server of Autobahn has.
func cases(address, agent string) error {
	c := okhttp.New()
	defer c.Close()
	ctx := context.Background()
	conn, err := okws.Dial(ctx, c, address+"/getCaseCount", &config)
	if err != nil {
		return err
	}
	_, text, err := conn.Read(ctx)
	_ = conn.CloseNow()
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(string(text))
	if err != nil {
		return err
	}
	agent = url.QueryEscape(agent)
	for i := range count {
		conn, err := okws.Dial(ctx, c, fmt.Sprintf("%s/runCase?case=%d&agent=%s", address, i+1, agent), &config)
		if err != nil {
			return err
		}
		_ = echo(conn) // many cases end badly on purpose
	}
	if conn, err = okws.Dial(ctx, c, address+"/updateReports?agent="+agent, &config); err != nil {
		return err
	}
	return conn.Discard(ctx)
}
