package okhttp

import "golang.org/x/net/http/httpproxy"

// EnvironmentProxies is a selector that goes by the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or their lower-case forms, as
// they are now. The default selector of a client is that of the moment it was made in. Localhost and loopback addresses never have a proxy. Inside a CGI program HTTP_PROXY is ignored, because there it
// can be a header of a request.
func EnvironmentProxies() ProxySelector { return environmentProxies{*httpproxy.FromEnvironment()} }

// environmentProxies is comparable, so that clients made under the same environment share connections.
type environmentProxies struct{ cfg httpproxy.Config }

func (e environmentProxies) Select(u URL) ([]Proxy, error) {
	if e.cfg.HTTPProxy == "" && e.cfg.HTTPSProxy == "" {
		return nil, nil
	}
	chosen, err := e.cfg.ProxyFunc()(u.Std())
	if err != nil {
		return nil, &URLError{Part: "proxy", Detail: "the proxy of the environment is not a URL"} // which may hold a password
	}
	if chosen == nil {
		return nil, nil
	}
	p, err := ParseProxy(chosen.String())
	if err != nil {
		return nil, err
	}
	return []Proxy{p}, nil
}

func (environmentProxies) ConnectFailed(URL, Proxy, error) {}
