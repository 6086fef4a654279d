package okhar

// What follows are the objects of HAR 1.2 as far as there is something to say, and names that begin with an underscore for more, as the
// format allows. Sizes are in bytes and -1 if they are not known, times in milliseconds and -1 if they do not apply.

type creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type entry struct {
	Started    string   `json:"startedDateTime"`
	Time       float64  `json:"time"`
	Request    request  `json:"request"`
	Response   response `json:"response"`
	Cache      struct{} `json:"cache"`
	Timings    timings  `json:"timings"`
	ServerIP   string   `json:"serverIPAddress,omitempty"`
	Connection string   `json:"connection,omitempty"`
	Comment    string   `json:"comment,omitempty"`
	Error      string   `json:"_error,omitempty"`
}

type request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []cookie  `json:"cookies"`
	Headers     []pair    `json:"headers"`
	Query       []pair    `json:"queryString"`
	PostData    *postData `json:"postData,omitempty"`
	HeadersSize int64     `json:"headersSize"`
	BodySize    int64     `json:"bodySize"`
}

type response struct {
	Status      int      `json:"status"`
	StatusText  string   `json:"statusText"`
	HTTPVersion string   `json:"httpVersion"`
	Cookies     []cookie `json:"cookies"`
	Headers     []pair   `json:"headers"`
	Content     content  `json:"content"`
	RedirectURL string   `json:"redirectURL"`
	HeadersSize int64    `json:"headersSize"`
	BodySize    int64    `json:"bodySize"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type cookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Path     string `json:"path,omitempty"`
	Domain   string `json:"domain,omitempty"`
	Expires  string `json:"expires,omitempty"`
	HTTPOnly bool   `json:"httpOnly,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
}

// postData has either params or text.
type postData struct {
	MimeType string `json:"mimeType"`
	Params   []pair `json:"params"`
	Text     string `json:"text"`
	Encoding string `json:"_encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

type content struct {
	Size        int64  `json:"size"`
	Compression *int64 `json:"compression,omitempty"`
	MimeType    string `json:"mimeType"`
	Text        string `json:"text,omitempty"`
	Encoding    string `json:"encoding,omitempty"`
	Comment     string `json:"comment,omitempty"`
}

type timings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}
