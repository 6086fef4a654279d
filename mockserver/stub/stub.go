package stub

import (
	"encoding/json"
	"time"
)

// A Stub is a route as a file describes it. The package comment says what each part means; what is nil or zero is not said.
type Stub struct {
	Name      string     `json:"name,omitempty"`
	Priority  int        `json:"priority,omitempty"`
	Request   Request    `json:"request,omitzero"`
	Responses []Response `json:"responses,omitempty"`
	Times     int        `json:"times,omitempty"`
	Scenario  *Scenario  `json:"scenario,omitempty"`
	After     Duration   `json:"after,omitzero"`
	Until     Duration   `json:"until,omitzero"`
	Recorded  *Recorded  `json:"recorded,omitempty"`

	at       place
	inserted *int64 // the insertionIndex of a mapping of WireMock
}

// A Scenario is the part that a stub takes in one.
type Scenario struct {
	Name string `json:"name"`
	When string `json:"when,omitempty"`
	Then string `json:"then,omitempty"`
}

// Recorded says where a stub comes from.
type Recorded struct {
	Origin  string    `json:"origin,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Latency Duration  `json:"latency,omitzero"` // from the request to the head of the response
}

// A Request is what a stub matches.
type Request struct {
	Method            []string        `json:"method,omitempty"`
	Path              *string         `json:"path,omitempty"`
	RawPath           *Text           `json:"rawPath,omitempty"`
	Target            *Text           `json:"target,omitempty"`
	Query             map[string]Text `json:"query,omitempty"`
	Headers           map[string]Text `json:"headers,omitempty"`
	Cookies           map[string]Text `json:"cookies,omitempty"`
	Host              *Text           `json:"host,omitempty"`
	BasicAuth         *Credentials    `json:"basicAuth,omitempty"`
	Protocol          []string        `json:"protocol,omitempty"`
	TLS               *bool           `json:"tls,omitempty"`
	ServerName        *Text           `json:"serverName,omitempty"`
	ClientCertificate *Text           `json:"clientCertificate,omitempty"`
	Connection        *int            `json:"connection,omitempty"`
	Body              *Body           `json:"body,omitempty"`
	Not               *Request        `json:"not,omitempty"`
	Any               []Request       `json:"any,omitempty"`
}

// Credentials are those of Basic authentication.
type Credentials struct {
	User     string `json:"user"`
	Password string `json:"password"`
}

// Text is what a text has to be: all that is said.
type Text struct {
	Equal     *string `json:"equal,omitempty"`
	EqualFold *string `json:"equalFold,omitempty"`
	Contains  *string `json:"contains,omitempty"`
	Prefix    *string `json:"prefix,omitempty"`
	Suffix    *string `json:"suffix,omitempty"`
	Regexp    *string `json:"regexp,omitempty"`
	Present   *bool   `json:"present,omitempty"`
	Not       *Text   `json:"not,omitempty"`
	All       []Text  `json:"all,omitempty"`
	Any       []Text  `json:"any,omitempty"`
}

// A Body is what the body of a request has to be: all that is said.
type Body struct {
	Text          *Text                `json:"text,omitempty"`
	Base64        *[]byte              `json:"base64,omitempty"`
	JSON          json.RawMessage      `json:"json,omitempty"`
	JSONSubset    json.RawMessage      `json:"jsonSubset,omitempty"`
	ExtraElements bool                 `json:"extraElements,omitempty"`
	AnyOrder      bool                 `json:"anyOrder,omitempty"`
	JSONPath      map[string]JSONValue `json:"jsonPath,omitempty"`
	Form          map[string]Text      `json:"form,omitempty"`
	Parts         []Part               `json:"parts,omitempty"`
}

// A JSONValue is what a JSON path has to select: a text or a value.
type JSONValue struct {
	Text
	JSON json.RawMessage `json:"json,omitempty"`
}

// A Part is what a part of a multipart body has to be.
type Part struct {
	Name     string          `json:"name,omitempty"`
	FileName string          `json:"fileName,omitempty"`
	Headers  map[string]Text `json:"headers,omitempty"`
	Text     *Text           `json:"text,omitempty"`
	JSON     json.RawMessage `json:"json,omitempty"`
}

// A Response is what a stub answers.
type Response struct {
	Status          int               `json:"status,omitempty"`
	Reason          *string           `json:"reason,omitempty"`
	Headers         Fields            `json:"headers,omitempty"`
	Body            *string           `json:"body,omitempty"`
	JSON            json.RawMessage   `json:"json,omitempty"`
	Base64          *[]byte           `json:"base64,omitempty"`
	File            string            `json:"file,omitempty"`
	Raw             *string           `json:"raw,omitempty"`
	RawBase64       *[]byte           `json:"rawBase64,omitempty"`
	Template        bool              `json:"template,omitempty"`
	Chunked         *Chunks           `json:"chunked,omitempty"`
	UntilClose      bool              `json:"untilClose,omitempty"`
	RawHeaders      Fields            `json:"rawHeaders,omitempty"`
	Trailers        Fields            `json:"trailers,omitempty"`
	Informational   []Informational   `json:"informational,omitempty"`
	Delay           Delay             `json:"delay,omitzero"`
	BodyDelay       Delay             `json:"bodyDelay,omitzero"`
	Throttle        *Throttle         `json:"throttle,omitempty"`
	Dribble         *Dribble          `json:"dribble,omitempty"`
	SlowHead        *Throttle         `json:"slowHead,omitempty"`
	TrailersDelay   Duration          `json:"trailersDelay,omitzero"`
	MalformedChunk  bool              `json:"malformedChunk,omitempty"`
	WrongLength     int64             `json:"wrongLength,omitempty"`
	Effects         []Effect          `json:"effects,omitempty"`
	SkipRequestBody bool              `json:"skipRequestBody,omitempty"`
	ShutdownServer  bool              `json:"shutdownServer,omitempty"`
	Settings        map[string]uint32 `json:"settings,omitempty"`
	InTunnel        bool              `json:"inTunnel,omitempty"`
	Pushes          []Push            `json:"pushes,omitempty"`

	fileAt place // of File
}

// A Push is a response of HTTP/2 to a request that the client did not make.
type Push struct {
	Method   string   `json:"method,omitempty"` // "" for GET
	Path     string   `json:"path"`
	Headers  Fields   `json:"headers,omitempty"` // of the request
	Response Response `json:"response,omitzero"`
}

// Chunks are the sizes of chunks; none for one chunk.
type Chunks []int64

// An Informational is a response 1xx.
type Informational struct {
	Status  int      `json:"status"`
	Headers Fields   `json:"headers,omitempty"`
	Delay   Duration `json:"delay,omitzero"` // before it
}

// A Throttle lets a number of bytes pass, and then waits.
type Throttle struct {
	Bytes int64    `json:"bytes"`
	Every Duration `json:"every"`
}

// A Dribble is a body in pieces over a time.
type Dribble struct {
	Pieces int      `json:"pieces"`
	Over   Duration `json:"over"`
}

// An Effect is what happens to the connection or stream at a moment, see the package comment.
type Effect struct {
	At          string            `json:"at"`
	Do          string            `json:"do"`
	Bytes       *int64            `json:"bytes,omitempty"`  // nil for half of the body
	Chunks      int               `json:"chunks,omitempty"` // in place of Bytes
	Code        uint32            `json:"code,omitempty"`
	In          bool              `json:"in,omitempty"`
	Out         bool              `json:"out,omitempty"`
	NoClose     bool              `json:"noClose,omitempty"`
	Size        int               `json:"size,omitempty"`
	Text        string            `json:"text,omitempty"`
	Base64      []byte            `json:"base64,omitempty"` // in place of Text
	For         Delay             `json:"for,omitzero"`
	Fault       string            `json:"fault,omitempty"`
	Debug       string            `json:"debug,omitempty"`
	Refuse      bool              `json:"refuse,omitempty"`
	Settings    map[string]uint32 `json:"settings,omitempty"`
	Probability *float64          `json:"probability,omitempty"` // nil for always
	EveryNth    int               `json:"everyNth,omitempty"`
	First       int               `json:"first,omitempty"`
}

// A Duration is a time span, written as "1.5s".
type Duration time.Duration

// A Delay is a time span, or one at random: between From and To, or log-normal around Median and not above Max.
type Delay struct {
	Fixed    Duration
	From, To Duration
	Median   Duration
	Sigma    float64  // of the logarithm
	Max      Duration // of a log-normal one; 0 for 100 times Median
}

// Fields are header fields in their order, names and values alternating.
type Fields []string
