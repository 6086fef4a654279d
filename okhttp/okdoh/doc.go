// Package okdoh resolves host names over HTTPS (RFC 8484), for okhttp clients.
//
//	plain := okhttp.New()
//	dns, err := okdoh.New(okdoh.Config{
//		Client:    plain,
//		URL:       "https://dns.example/dns-query",
//		Bootstrap: []netip.Addr{netip.MustParseAddr("192.0.2.53")},
//	})
//	…
//	client := plain.With(okhttp.WithDNS(dns))
//
// IPv6 and IPv4 addresses and HTTPS records (RFC 9460) are asked for at the same time, each by a request of its own, and yielded as they arrive with
// their TTLs. One address suffices; what failed beside it is left out, and shortens the life of what came, as package okdns describes. There is
// no cache here but that of the client, if it has one: put an [okdns.Cache] in front.
//
// # Whom it asks
//
// The name of the resolver itself is looked up by [Config.Bootstrap] or [Config.DNS], whatever resolves names for the client that was given, and so
// never by the resolver. With bootstrap addresses no other name is looked up at all: a redirect to elsewhere fails. Names that the public DNS does
// not have are not asked for; see [Config.ResolvePrivate].
//
// The client's interceptors and listeners see the requests. Cookies are neither sent nor kept (RFC 8484 section 8.2), and the client's dispatcher is
// not used: calls that hold places in it wait for their addresses.
//
// # HTTPS records
//
// A client connects to the host and port of its URL. So only records count that are about those: in service mode, whose target is the host, what its
// name is an alias of, or "."; without a port or with port 443; with a protocol over TCP; and without mandatory parameters that are not known here.
// Of these the one with the smallest priority tells ALPN and ECH. A record of the alias mode is not followed, and no other record counts beside it (RFC
// 9460 section 2.4.1); the addresses are those of the host itself. One malformed record makes all of them count for nothing (section 2.2). They are about
// port 443: do not use what they say for another port, whose records have another name (section 9.1).
//
// ECH keys are passed on if crypto/tls can use them. Lists that it cannot use would make every handshake fail, and are left out.
//
// Address hints are no addresses (section 7.3). They are yielded if there is nothing else: if no address arrived, for a family whose question
// failed, and they are good for 10 seconds.
//
// # Concurrency
//
// A [Resolver] holds nothing but its configuration and is safe for concurrent use. A look-up waits for the goroutines of its questions, which end with
// its context or when its loop is left.
package okdoh
