package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	progressEvery = 100 * time.Millisecond
	progressWidth = 24 // of the bar, in columns
	progressLine  = 78
)

// progress draws one line about a download, over and over. A nil progress draws nothing.
type progress struct {
	w     io.Writer
	now   func() time.Time
	total int64 // -1 if it is not known
	done  int64
	began time.Time
	drawn time.Time
	among *bars  // of which it is a line, nil if it is alone
	name  string // then
}

func newProgress(w io.Writer, total int64, now func() time.Time) *progress {
	began := now()
	return &progress{w: w, now: now, total: total, began: began, drawn: began}
}

// add counts bytes, and draws if the last drawing is old enough.
func (p *progress) add(n int) {
	if p == nil {
		return
	}
	if p.among != nil {
		p.among.add(p, n)
		return
	}
	p.done += int64(n)
	if now := p.now(); now.Sub(p.drawn) >= progressEvery {
		p.draw(now)
	}
}

// finish draws the end and leaves the line.
func (p *progress) finish() {
	switch {
	case p == nil:
	case p.among != nil:
		p.among.finish(p)
	default:
		p.draw(p.now())
		io.WriteString(p.w, "\n")
	}
}

// draw overwrites the line.
func (p *progress) draw(now time.Time) {
	p.drawn = now
	line := p.line(now.Sub(p.began))
	fmt.Fprintf(p.w, "\r%-*s", progressLine, line)
}

// line renders bar, share, sizes, rate and the time that is left; without a total only what is known.
func (p *progress) line(elapsed time.Duration) string {
	rate := 0.0
	if elapsed > 0 {
		rate = float64(p.done) / elapsed.Seconds()
	}
	if p.total < 0 {
		return fmt.Sprintf("%s  %s/s  %s", byteSize(float64(p.done)), byteSize(rate), clock(elapsed))
	}
	share := 1.0
	if p.total > 0 {
		share = min(float64(p.done)/float64(p.total), 1)
	}
	width := progressWidth
	if p.among != nil {
		width = barsWidth
	}
	filled := int(share * float64(width))
	bar := strings.Repeat("=", filled) + strings.Repeat(" ", width-filled)
	left := elapsed // at the end, the time it took
	if p.done < p.total {
		if rate == 0 {
			return fmt.Sprintf("[%s] %3d%%  %s of %s", bar, int(share*100), byteSize(float64(p.done)), byteSize(float64(p.total)))
		}
		left = time.Duration(min(float64(p.total-p.done)/rate, 1e6) * float64(time.Second))
	}
	return fmt.Sprintf("[%s] %3d%%  %s of %s  %s/s  %s",
		bar, int(share*100), byteSize(float64(p.done)), byteSize(float64(p.total)), byteSize(rate), clock(left))
}

// byteSize renders a number of bytes in the largest unit that leaves a whole.
func byteSize(n float64) string {
	units := [...]string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1024 {
		return fmt.Sprintf("%.0f B", n)
	}
	unit := -1
	for n >= 1024 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %s", n, units[unit])
}

func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// isTerminal reports whether what is written to w appears on a screen.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
