package http1

const (
	bareLF   = "a recipient may take LF alone for the end of a line in a head (RFC 9112 section 2.2); servers that send it exist, and every reader that accepts it sees the same lines. Chunk lines need CRLF"
	badChain = "a coding that is not understood, or that follows chunked, fails: reading to the end of the connection would deliver coded bytes as content (RFC 9112 section 6.1 lets a recipient treat the message as faulty)"
)

// reasons says, for each case that is decided otherwise than llhttp does, why.
var reasons = map[string]string{
	"connection:6 Proxy-Connection": "Proxy-Connection is not a field of HTTP; only Connection ends persistence (RFC 9112 section 9.3)",

	"invalid:289 Only LFs present and no body": bareLF,
	"invalid:329 Only LFs present":             bareLF,
	"sample:332 No carriage ret":               bareLF,

	"sample:647 HTTP version 0.9":            "HTTP/0.9 has no status line; a server that claims it is not one that can be understood",
	"sample:697 Response starting with CRLF": "only servers skip empty lines, before a request line (RFC 9112 section 2.2); before a status line they are bytes left over from something else",

	"transfer-encoding:6 Trailing space on chunked body": "blanks after a chunk size are dropped, as OkHttp and net/http do: old servers pad sizes with them, and no reader takes them for something else",
	"transfer-encoding:250 No extension after semicolon": "chunk extensions are ignored (RFC 9112 section 7.1.1), an empty one too, as long as nothing in them could end the line",

	"transfer-encoding:45 `chunked` before other transfer-encoding":                              badChain,
	"transfer-encoding:76 multiple transfer-encoding where chunked is not the last one":          badChain,
	"transfer-encoding:114 `chunkedchunked` transfer-encoding does not enable chunked enconding": badChain,
}
