// Package okio moves bytes in pooled segments: buffers, sources and sinks that hand whole segments on instead of copying them.
package okio
