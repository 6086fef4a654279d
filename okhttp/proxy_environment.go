package okhttp

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/net/http/httpproxy"
)

// EnvironmentProxies is a selector that goes by the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or their lower-case forms, which
// go before them, as they are now. The default selector of a client is that of the moment it was made in. A proxy that [ParseProxy] does not
// understand fails the calls that would go through it.
//
// NO_PROXY is a list of host names, which stand for what is below them too, of addresses and of networks, with a port or without, or a "*". Localhost
// and loopback addresses never have a proxy. Inside a CGI program HTTP_PROXY is ignored, because there it can be a header of a request.
func EnvironmentProxies() ProxySelector {
	env := httpproxy.FromEnvironment()
	if env.CGI {
		env.HTTPProxy = ""
		if runtime.GOOS != "windows" { // where names of variables have no case
			env.HTTPProxy = os.Getenv("http_proxy")
		}
	}
	return environmentProxies{http: environmentProxyOf(env.HTTPProxy), https: environmentProxyOf(env.HTTPSProxy), except: env.NoProxy}
}

// environmentProxies is comparable, so that clients made under the same environment share connections.
type environmentProxies struct {
	http, https environmentProxy
	except      string
}

// environmentProxy is what one variable says.
type environmentProxy struct {
	set   bool
	proxy Proxy
	wrong URLError // why it could not be understood
}

func environmentProxyOf(value string) (e environmentProxy) {
	if value == "" {
		return e
	}
	e.set = true
	var err error
	var wrong *URLError
	if e.proxy, err = ParseProxy(value); errors.As(err, &wrong) {
		e.wrong = *wrong
	}
	return e
}

func (e environmentProxies) Select(u URL) ([]Proxy, error) {
	choice := e.http
	if u.isHTTPS() {
		choice = e.https
	}
	if !choice.set {
		return nil, nil
	}
	// Whatever the proxy is, the rules about exceptions are those that programs in Go have.
	rules := httpproxy.Config{HTTPProxy: "http://proxy", HTTPSProxy: "http://proxy", NoProxy: e.except}
	if via, err := rules.ProxyFunc()(u.Std()); via == nil || err != nil {
		return nil, err
	}
	if choice.wrong != (URLError{}) {
		wrong := choice.wrong
		return nil, &wrong
	}
	return []Proxy{choice.proxy}, nil
}

func (environmentProxies) ConnectFailed(URL, Proxy, error) {}
