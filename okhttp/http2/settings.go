package http2

import (
	"encoding/binary"
	"fmt"
)

// SettingID names a setting (RFC 9113 section 6.5.2). Settings that are not listed are ignored.
type SettingID uint16

// The settings.
const (
	SettingHeaderTableSize       SettingID = 0x1 // bytes; 4096 until another value comes
	SettingEnablePush            SettingID = 0x2 // 0 or 1; 1
	SettingMaxConcurrentStreams  SettingID = 0x3 // no limit
	SettingInitialWindowSize     SettingID = 0x4 // bytes; 65,535
	SettingMaxFrameSize          SettingID = 0x5 // bytes; 16,384
	SettingMaxHeaderListSize     SettingID = 0x6 // bytes, where each field counts 32 more than its name and value; no limit
	SettingEnableConnectProtocol SettingID = 0x8 // 0 or 1; 0 (RFC 8441 section 3)
)

var settingNames = [...]string{
	SettingHeaderTableSize:       "HEADER_TABLE_SIZE",
	SettingEnablePush:            "ENABLE_PUSH",
	SettingMaxConcurrentStreams:  "MAX_CONCURRENT_STREAMS",
	SettingInitialWindowSize:     "INITIAL_WINDOW_SIZE",
	SettingMaxFrameSize:          "MAX_FRAME_SIZE",
	SettingMaxHeaderListSize:     "MAX_HEADER_LIST_SIZE",
	SettingEnableConnectProtocol: "ENABLE_CONNECT_PROTOCOL",
}

// String returns the name without the prefix SETTINGS_, "MAX_FRAME_SIZE", or the number, "0x9", of a setting that is not known.
func (id SettingID) String() string {
	if int(id) < len(settingNames) && settingNames[id] != "" {
		return settingNames[id]
	}
	return fmt.Sprintf("0x%x", uint16(id))
}

// Setting is one entry of a SETTINGS frame.
type Setting struct {
	ID    SettingID
	Value uint32
}

// settingLen is the length of one entry on the wire.
const settingLen = 6

// Valid returns a [*ConnectionError] if the value is not one that the setting can have. Those that are not known can have any. That a server never
// sends ENABLE_PUSH 1, and that ENABLE_CONNECT_PROTOCOL never returns to 0, is for the connection to check.
func (s Setting) Valid() error {
	switch s.ID {
	case SettingEnablePush, SettingEnableConnectProtocol:
		if s.Value > 1 {
			return connectionErrorf(ProtocolErrorCode, "setting %v is %d, expected 0 or 1", s.ID, s.Value)
		}
	case SettingInitialWindowSize:
		if s.Value > maxStream {
			return connectionErrorf(FlowControlError, "setting %v is %d, expected at most %d", s.ID, s.Value, maxStream)
		}
	case SettingMaxFrameSize:
		if s.Value < MinMaxFrameSize || s.Value > MaxFrameSize {
			return connectionErrorf(ProtocolErrorCode, "setting %v is %d, expected %d to %d", s.ID, s.Value, MinMaxFrameSize, MaxFrameSize)
		}
	}
	return nil
}

// ParseSettings returns the entries of a SETTINGS frame in their order, in which they are to be applied; a later one replaces an earlier one of
// the same name. Each is [Setting.Valid] if the error is nil.
func ParseSettings(payload []byte) ([]Setting, error) {
	if len(payload)%settingLen != 0 {
		return nil, FrameHeader{Type: FrameSettings, Length: len(payload)}.sizeError("a multiple of 6")
	}
	if len(payload) == 0 {
		return nil, nil
	}
	list := make([]Setting, 0, len(payload)/settingLen)
	for ; len(payload) > 0; payload = payload[settingLen:] {
		s := Setting{SettingID(binary.BigEndian.Uint16(payload)), binary.BigEndian.Uint32(payload[2:])}
		if err := s.Valid(); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// AppendSettings writes a SETTINGS frame, which may be empty, with values as they are given, valid or not (RFC 9113 section 6.5).
func AppendSettings(dst []byte, s ...Setting) []byte {
	dst = FrameHeader{Length: settingLen * len(s), Type: FrameSettings}.Append(dst)
	for _, one := range s {
		dst = binary.BigEndian.AppendUint16(dst, uint16(one.ID))
		dst = binary.BigEndian.AppendUint32(dst, one.Value)
	}
	return dst
}

// AppendSettingsAck writes the acknowledgement of a SETTINGS frame (RFC 9113 section 6.5.3).
func AppendSettingsAck(dst []byte) []byte {
	return FrameHeader{Type: FrameSettings, Flags: FlagAck}.Append(dst)
}
