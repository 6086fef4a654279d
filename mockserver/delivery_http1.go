package mockserver

import (
	"context"
	"io"

	"github.com/okhttp-go/ok/okhttp"
)

// writeHead sends the head of a final response, or leaves it in the buffer of the connection.
func (c *connection) writeHead(ctx context.Context, resp *Response, reason string, fields []string) error {
	checked := fields
	if resp.lenient {
		checked = sound(fields)
	}
	if err := c.http.WriteHead(resp.Code(), reason, checked); err != nil {
		return err
	}
	sink := c.http.Sink()
	if !resp.lenient && resp.slowHead.bytes == 0 {
		return nil
	}
	// Nothing else is in the buffer, because what came before was flushed.
	head, err := sink.Buffer().ReadText(sink.Buffer().Len())
	if err != nil {
		return err
	}
	if resp.lenient {
		head = head[:firstLine(head)] + block(fields) + "\r\n"
	}
	pace := pacer{throttle: resp.slowHead}
	for len(head) > 0 {
		n := pace.most(int64(len(head)))
		if err := pace.pass(ctx, n, sink.Flush); err != nil {
			return err
		}
		if _, err := sink.WriteString(head[:n]); err != nil {
			return err
		}
		head = head[n:]
	}
	return nil
}

// firstLine returns the length of the first line of text with its end.
func firstLine(text string) int {
	for i := range len(text) {
		if text[i] == '\n' {
			return i + 1
		}
	}
	return len(text)
}

// block returns header fields as lines.
func block(fields []string) string {
	text := ""
	for i := 0; i < len(fields); i += 2 {
		text += fields[i] + ": " + fields[i+1] + "\r\n"
	}
	return text
}

// sound returns the fields that may be sent.
func sound(fields []string) []string {
	var list []string
	for i := 0; i < len(fields); i += 2 {
		if _, err := (okhttp.Headers{}).AddNonASCII(fields[i], fields[i+1]); err == nil {
			list = append(list, fields[i], fields[i+1])
		}
	}
	return list
}

// sendBody sends the content of a response, framed, and the trailers.
func (c *connection) sendBody(ctx context.Context, r *Request, resp *Response) error {
	if resp.bodiless(r.Method) || resp.content.open == nil && !resp.encoded() {
		return c.sendBytes(ctx, r, byteReader(nil), 0, resp)
	}
	content, err := resp.content.reader(ctx)
	if err != nil {
		return err
	}
	defer content.Close()
	whole := resp.content.length
	if !resp.encoded() {
		if err := c.sendBytes(ctx, r, content, whole, resp); err != nil || c.over {
			return err
		}
		return c.delayTrailers(ctx, resp)
	}
	coded := &chunkReader{content: content, left: whole, sizes: resp.chunks, bad: resp.badChunk}
	if whole >= 0 {
		whole = coded.length()
	}
	if err := c.sendBytes(ctx, r, coded, whole, resp); err != nil || c.over {
		return err
	}
	if resp.badChunk {
		c.log(r, resp.Code())
		if err := c.http.Sink().Flush(); err != nil {
			return err
		}
		c.bow()
		c.over = true
		return nil
	}
	if err := c.delayTrailers(ctx, resp); err != nil {
		return err
	}
	trailers, err := resp.allTrailers()
	if err == nil {
		_, err = c.http.Sink().WriteString(block(trailers) + "\r\n")
	}
	return err
}

func (c *connection) delayTrailers(ctx context.Context, resp *Response) error {
	if resp.endDelay <= 0 {
		return nil
	}
	if err := c.http.Sink().Flush(); err != nil {
		return err
	}
	return sleep(ctx, resp.endDelay)
}

// sendBytes sends what a body is on the wire, and performs the effect that strikes within it.
func (c *connection) sendBytes(ctx context.Context, r *Request, body io.Reader, length int64, resp *Response) error {
	d := resp.deliver(c.http.Sink(), body, length, func() bool {
		plan := c.plan(resp.effects[ResponseBody].effect)
		if ends(plan) {
			c.log(r, resp.Code())
		}
		return c.perform(ctx, ResponseBody, plan)
	})
	if coded, ok := body.(*chunkReader); ok {
		d.stop = resp.effects[ResponseBody].atChunk(d.stop, coded.after)
	}
	_, err := d.run(ctx)
	return err
}
