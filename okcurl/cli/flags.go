package cli

import (
	"fmt"
	"strings"
)

// A flag is one row of the table that is parsed by and that the help is made of, in alphabetical order. It either has an argument and set, or it is a switch
// and has turn.
type flag struct {
	short byte // 0 if there is only the long form
	long  string
	arg   string // what the help calls the argument
	help  string
	set   func(o *options, value string) error
	turn  func(o *options, on bool)
}

// parse reads arguments as curl does: flags and URLs in any order, switches bundled (-sSL), arguments attached or apart (-XPUT, -X PUT,
// --max-time=5, --max-time 5), switches undone by --no-NAME, and URLs alone after "--".
func parse(args []string) (*options, error) {
	o := newOptions()
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			o.urls = append(o.urls, args...)
			return o, nil
		case strings.HasPrefix(arg, "--"):
			args, err = o.parseLong(arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = o.parseShort(arg[1:], args)
		default:
			o.urls = append(o.urls, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *options) parseLong(text string, rest []string) ([]string, error) {
	name, value, attached := strings.Cut(text, "=")
	f, on := longFlag(name)
	switch {
	case f == nil:
		return nil, usageError("unknown option --%s", name)
	case f.turn != nil && attached:
		return nil, usageError("option --%s takes no argument, got %q", name, value)
	case f.turn != nil:
		f.turn(o, on)
		return rest, nil
	case !attached && len(rest) == 0:
		return nil, usageError("option --%s needs an argument: %s", name, f.arg)
	case !attached:
		value, rest = rest[0], rest[1:]
	}
	return rest, f.apply(o, "--"+name, value)
}

// longFlag finds a flag, or the switch that a name with "no-" before it undoes.
func longFlag(name string) (f *flag, on bool) {
	positive, negated := strings.CutPrefix(name, "no-")
	for i := range flags {
		switch f := &flags[i]; {
		case f.long == name:
			return f, true
		case negated && f.long == positive && f.turn != nil:
			return f, false
		}
	}
	return nil, false
}

func (o *options) parseShort(bundle string, rest []string) ([]string, error) {
	for i := range len(bundle) {
		f := shortFlag(bundle[i])
		switch {
		case f == nil:
			return nil, usageError("unknown option -%s", printable(bundle[i:i+1]))
		case f.turn != nil:
			f.turn(o, true)
			continue
		}
		value := bundle[i+1:]
		if value == "" {
			if len(rest) == 0 {
				return nil, usageError("option -%c needs an argument: %s", f.short, f.arg)
			}
			value, rest = rest[0], rest[1:]
		}
		return rest, f.apply(o, "-"+string(f.short), value)
	}
	return rest, nil
}

func shortFlag(c byte) *flag {
	for i := range flags {
		if flags[i].short == c {
			return &flags[i]
		}
	}
	return nil
}

// apply sets an argument. Failures name the option as it was written.
func (f *flag) apply(o *options, name, value string) error {
	err := f.set(o, value)
	if own, ok := err.(*failure); ok {
		return own
	}
	if err != nil {
		return usageError("option %s: %w", name, err)
	}
	return nil
}

// usageError is a command line that cannot be understood.
func usageError(format string, args ...any) *failure {
	return &failure{code: exitUsage, text: fmt.Errorf(format, args...).Error() + "; try okcurl --help"}
}
