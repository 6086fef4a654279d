package okws

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// heard is what came of bytes that a peer sent.
func heard(t *testing.T, client bool, cfg *Config, deflate bool, frames string) (messages []string, err error) {
	t.Helper()
	var control []string
	set := Config{}
	if cfg != nil {
		set = *cfg
	}
	set.OnPong = nil
	set.OnFrame = func(f Frame) {
		if f.Opcode == byte(opPong) && !f.Sent {
			control = append(control, "pong")
		}
	}
	bubble(t, func(t *testing.T) {
		c, h := end(t, client, &set, extensions{deflate: deflate, clientNoContextTakeover: true, serverNoContextTakeover: true})
		h.send(frames)
		must(t, h.Sink().Close())
		for {
			kind, p, e := c.Read(t.Context())
			messages = append(messages, control...)
			control = nil
			if e != nil {
				err = e
				break
			}
			messages = append(messages, kind.String()+" "+string(p))
		}
	})
	return messages, err
}

// Facts 53 to 55, 57, 60 and 62 to 64: every violation of section 8.2, in either role.
func TestViolations(t *testing.T) {
	for _, c := range []struct {
		client  bool
		deflate bool
		frames  string
		code    Code
		want    string
	}{
		{true, false, "0a00", 1002, "Control frames must be final."},
		{true, false, "ca00", 1002, "Unexpected rsv1 flag"},
		{true, true, "ca00", 1002, "Unexpected rsv1 flag"},
		{true, false, "c000", 1002, "Unexpected rsv1 flag"},
		{true, true, "c000", 1002, "Unexpected rsv1 flag"},
		{true, false, "c100", 1002, "Unexpected rsv1 flag"},
		{true, true, "0100 c000", 1002, "Unexpected rsv1 flag"},
		{true, false, "aa00", 1002, "Unexpected rsv2 flag"},
		{true, false, "9a00", 1002, "Unexpected rsv3 flag"},
		{true, false, "a100", 1002, "Unexpected rsv2 flag"},
		{true, false, "9100", 1002, "Unexpected rsv3 flag"},
		{false, false, "8100", 1002, "Client-sent frames must be masked."},
		{true, false, "8180", 1002, "Server-sent frames must not be masked."},
		{true, false, "8a7e007e", 1002, "Control frame must be less than 125B."},
		{true, false, "8a7f000000000000007e", 1002, "Control frame must be less than 125B."},
		{false, false, "8afe007e", 1002, "Control frame must be less than 125B."},
		{true, false, "817f8000000000000000", 1002, "Frame length 0x8000000000000000 > 0x7FFFFFFFFFFFFFFF"},
		{true, false, "817fffffffffffffffff", 1002, "Frame length 0xffffffffffffffff > 0x7FFFFFFFFFFFFFFF"},
		{true, false, "8b00", 1002, "Unknown control opcode: b"},
		{true, false, "8f00", 1002, "Unknown control opcode: f"},
		{true, false, "8300", 1002, "Unknown opcode: 3"},
		{true, false, "8700", 1002, "Unknown opcode: 7"},
		{true, false, "8000", 1002, "Unknown opcode: 0"},
		{true, false, "0000", 1002, "Unknown opcode: 0"},
		{true, false, "8100 8000", 1002, "Unknown opcode: 0"},
		{true, false, "0264" + strings.Repeat("00", 100) + "8264" + strings.Repeat("00", 100), 1002, "Expected continuation opcode. Got: 2"},
		{true, false, "020164 820164", 1002, "Expected continuation opcode. Got: 2"},
		{true, false, "010164 0101", 1002, "Expected continuation opcode. Got: 1"},
		{true, false, "880100", 1002, "Malformed close payload length of 1."},
		{true, false, "88020001", 1002, "Code must be in range [1000,5000): 1"},
		{true, false, "88021388", 1002, "Code must be in range [1000,5000): 5000"},
		{true, false, "880403e8ff41", 1007, "the reason in a close frame is not UTF-8"},
		{true, true, "c10548656c6c6f", 1007, "a compressed message cannot be inflated"},
		{true, false, "8102c328", 1007, "a text message is not UTF-8"},
		{true, false, "8101c3", 1007, "a text message is not UTF-8"},
		{true, false, "0101c3 800128", 1007, "a text message is not UTF-8"},
	} {
		_, err := heard(t, c.client, nil, c.deflate, c.frames)
		t.Run(c.frames, func(t *testing.T) { wantViolation(t, err, c.code, c.want) })
	}
}

// Fact 64: the reserved codes, and those that are fine.
func TestCloseCodes(t *testing.T) {
	reserved := 0
	for code := range 70000 {
		fault := Code(code).fault()
		switch {
		case code < 1000 || code >= 5000:
			if want := fmt.Sprintf("Code must be in range [1000,5000): %d", code); fault != want {
				t.Fatalf("%d: %q", code, fault)
			}
		case code >= 1004 && code <= 1006 || code >= 1015 && code <= 2999:
			reserved++
			if want := fmt.Sprintf("Code %d is reserved and may not be used.", code); fault != want {
				t.Fatalf("%d: %q", code, fault)
			}
		case fault != "":
			t.Fatalf("%d: %q", code, fault)
		}
	}
	if reserved != 1988 {
		t.Errorf("%d codes are reserved", reserved)
	}
	for _, code := range []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999} {
		_, err := heard(t, true, nil, false, fmt.Sprintf("8802%04x", code))
		wantClose(t, err, Code(code), "")
	}
	for _, code := range []int{1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999} {
		_, err := heard(t, true, nil, false, fmt.Sprintf("8802%04x", code))
		wantViolation(t, err, 1002, fmt.Sprintf("Code %d is reserved and may not be used.", code))
	}
}

// Facts 56, 58, 59, 61, 84: what is right, and what ends too early.
func TestFrames(t *testing.T) {
	hello := "48656c6c6f"
	for _, c := range []struct {
		client, deflate bool
		frames          string
		want            string
		err             string
	}{
		{true, false, "8105" + hello, "text Hello", "EOF"},
		{true, false, "817e0005" + hello, "text Hello", "EOF"},
		{true, false, "817f0000000000000005" + hello, "text Hello", "EOF"},
		{true, false, "8205" + hello + "8100", "binary Hello, text ", "EOF"},
		{false, false, "818537fa213d7f9f4d5158", "text Hello", "EOF"},
		{false, false, "818560b420bb28d14cd70f", "text Hello", "EOF"},
		{true, false, "010348656c 8a00 8a00 8a00 8a00 80026c6f", "pong, pong, pong, pong, text Hello", "EOF"},
		{true, false, "0100 0000 0000 8005" + hello, "text Hello", "EOF"},
		{true, true, "c107f248cdc9c90700", "text Hello", "EOF"},
		{true, true, "4104f248cdc9 8003c90700", "text Hello", "EOF"},
		{true, true, "8105" + hello, "text Hello", "EOF"},
		{false, true, "c18760b420bb92fced72a9b320", "text Hello", "EOF"},
		{false, true, "418460b420bb92fced72 808360b420bba9b320", "text Hello", "EOF"},
		{true, true, "c10100", "text ", "EOF"},
		{true, false, "8104" + hello[:6], "", "unexpected EOF"},
		{true, false, "8a04" + hello[:6], "", "unexpected EOF"},
		{true, false, "81", "", "unexpected EOF"},
		{true, false, "817e00", "", "unexpected EOF"},
		{true, false, "010348656c", "", "unexpected EOF"},
		{true, false, "010348656c 880203e9", "", "closed by the peer: 1001"},
		{true, false, "8105" + hello + "8800 8105" + hello, "text Hello", "closed by the peer: 1005"},
		{true, false, "0101c3 8001a9", "text é", "EOF"},
		{true, false, "820101 8901 2a 8202 0203", "binary \x01, binary \x02\x03", "EOF"},
	} {
		messages, err := heard(t, c.client, nil, c.deflate, c.frames)
		if got := strings.Join(messages, ", "); got != c.want || !strings.HasSuffix(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.frames, got, err)
		}
		if strings.HasSuffix(c.err, "EOF") && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v is no end of a stream", c.frames, err)
		}
	}
}

// Fact 81, and the families 6.3 and 6.4 of Autobahn: text fails at the first impossible byte, before its frame is whole.
func TestTextFailsFast(t *testing.T) {
	for _, c := range []struct{ good, bad string }{
		{"8114 cebae1bdb9cf83cebcceb5", "eda080"},
		{"8115 cebae1bdb9cf83cebcceb5", "f4908080"},
		{"010b cebae1bdb9cf83cebcceb5 000a", "f490"},
		{"8114 ce", "ff"},
		{"8114", "c0"},
		{"8114 e0", "80"},
		{"8114 f0", "8f"},
	} {
		bubble(t, func(t *testing.T) {
			conn, h := end(t, true, nil, extensions{})
			side := attach(t, conn, nil)
			h.send(c.good)
			time.Sleep(time.Second)
			side.wantNone()
			for _, b := range unhex(t, c.bad) {
				h.write([]byte{b})
			}
			side.want("failure okws: protocol error: a text message is not UTF-8")
			if rest := h.rest(); len(rest) != 2*8 {
				t.Errorf("the peer got %s", rest)
			}
		})
	}
}

// Fact 82: a length over the limit is refused before anything is read or taken.
func TestGiantLength(t *testing.T) {
	for _, frames := range []string{"827f0000010000000000", "827f7fffffffffffffff", "0201aa 807f0000000002000000"} {
		_, err := heard(t, true, nil, false, frames)
		wantViolation(t, err, CodeTooBig, "message is larger than the limit of 33554432 bytes")
		if large := (*okhttp.TooLargeError)(nil); !errors.As(err, &large) || large.Limit != 32<<20 {
			t.Errorf("%v", err)
		}
	}
	_, err := heard(t, true, &Config{MaxMessage: 5}, false, "8105 48656c6c6f 8106 48656c6c6f21")
	wantViolation(t, err, CodeTooBig, "limit of 5 bytes")
	_, err = heard(t, true, &Config{MaxMessage: 5}, false, "0103 48656c 0002 6c6f 8001")
	wantViolation(t, err, CodeTooBig, "limit of 5 bytes")
	giant := "827f7fffffffffffffff"
	if math.MaxInt == math.MaxInt32 {
		giant = "827f000000007fffffff" // the most that can be addressed; see TestLongerThanAddressable
	}
	messages, err := heard(t, true, &Config{MaxMessage: -1}, false, "8106 48656c6c6f21 "+giant)
	if len(messages) != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", messages, err)
	}
}
