package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// connectRule is what one --connect-to says: where the URLs of a host and port lead to.
type connectRule struct {
	host   string // as in a URL; "" for all
	port   int    // 0 for all
	toHost string // "" for the URL's
	toPort int    // 0 for the URL's
}

// setConnectTo is addConnectTo with the exit code that curl has for it.
func (o *options) setConnectTo(text string) error {
	if err := o.addConnectTo(text); err != nil {
		return &failure{exitOption, "option --connect-to: " + err.Error() + "; try okcurl --help"}
	}
	return nil
}

// addConnectTo reads HOST1:PORT1:HOST2:PORT2. Each part may be empty, and the last one missing; IPv6 addresses are in brackets.
func (o *options) addConnectTo(text string) error {
	host, rest, ok := cutHost(text)
	port, target, complete := strings.Cut(rest, ":")
	if !ok || !complete {
		return fmt.Errorf("expected HOST1:PORT1:HOST2:PORT2, got %q", text)
	}
	toHost, toPort, _ := cutHost(target)
	var rule connectRule
	var err error
	if rule.port, err = connectPort(port); err != nil {
		return err
	}
	if rule.toPort, err = connectPort(toPort); err != nil {
		return err
	}
	if rule.host, err = connectHost(host); err != nil {
		return err
	}
	if rule.toHost, err = connectHost(toHost); err != nil {
		return err
	}
	o.connectTo = append(o.connectTo, rule)
	return nil
}

// cutHost cuts behind a host, which is in brackets if it has colons of its own.
func cutHost(text string) (host, rest string, ok bool) {
	if inner, bracketed := strings.CutPrefix(text, "["); bracketed {
		if address, rest, ok := strings.Cut(inner, "]"); ok && (rest == "" || rest[0] == ':') {
			return "[" + address + "]", strings.TrimPrefix(rest, ":"), rest != ""
		}
	}
	return strings.Cut(text, ":")
}

// connectPort reads a port, 0 if the text is empty.
func connectPort(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("expected a port or nothing, got %q", text)
	}
	return int(port), nil
}

// connectHost writes a host as URLs have it.
func connectHost(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := okhttp.ParseURL("http://" + text + "/")
	if err != nil || strings.ContainsAny(text, `/\?#@`) {
		return "", fmt.Errorf("expected a host name, an IP address (of IPv6 in brackets) or nothing, got %q", text)
	}
	return strings.TrimSuffix(u.Host(), "."), nil
}

// leads returns what --connect-to says of a URL: "" and 0 for what stays. The first rule counts that is about the URL and says something.
func (o *options) leads(u okhttp.URL) (host string, port int) {
	for _, r := range o.connectTo {
		about := (r.host == "" || r.host == strings.TrimSuffix(u.Host(), ".")) && (r.port == 0 || r.port == u.Port())
		if about && (r.toHost != "" || r.toPort != 0) {
			return r.toHost, r.toPort
		}
	}
	return "", 0
}

// elsewhere is a selector whose ways lead to where --connect-to says, through whatever proxies there are.
type elsewhere struct {
	okhttp.ProxySelector
	o *options
}

// Select implements [okhttp.ProxySelector].
func (e *elsewhere) Select(u okhttp.URL) ([]okhttp.Proxy, error) {
	list, err := e.ProxySelector.Select(u)
	host, port := e.o.leads(u)
	if err != nil || host == "" && port == 0 {
		return list, err
	}
	if len(list) == 0 {
		list = []okhttp.Proxy{okhttp.Direct}
	}
	list = slices.Clone(list)
	for i, p := range list {
		if list[i], err = p.ConnectTo(host, port); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// classify is the function of that name, for which an unknown host that is not the URL's is a proxy.
func (o *options) classify(ctx context.Context, err error) *failure {
	f := classify(ctx, err)
	u, ok := errors.AsType[*okhttp.UnknownHostError](err)
	if ok && f.code == exitProxy && slices.ContainsFunc(o.connectTo, func(r connectRule) bool { return r.toHost == u.Host }) {
		return &failure{exitResolve, strings.Replace(f.text, "proxy", "host", 1)}
	}
	return f
}
