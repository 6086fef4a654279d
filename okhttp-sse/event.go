package oksse

import "time"

// Event is one event of a stream.
type Event struct {
	// ID is the last event ID of the stream when the event came: that of its own id field, or of the latest event before it that had one. "" means that
	// there is none. In the mode [OkHttp] it counts as told only by events that have data. To an [Encoder], "" means no id field.
	ID string
	// Type is the value of the event field. Without one it is "message", or "" in the mode [OkHttp]. An [Encoder] takes both for no event field.
	Type string
	// Data is the data fields, joined by line feeds.
	Data string
	// Retry is the reconnection time that the event carried, if HasRetry. It counts for the stream from then on.
	Retry    time.Duration
	HasRetry bool
	// ClearID marks an event for which the ID was taken back, by an empty id field of its own or of what came before it without data: from here on the stream has no last
	// event ID. ID is "" then. An [Encoder] writes an empty id field, so that whoever reads that forgets the ID too.
	ClearID bool
	// Attempt is the number of the connection that the event came over, from 1. Decoders and encoders leave it alone.
	Attempt int
}

// message is the type of events that name none.
const message = "message"
