package cli

import (
	"fmt"
	"io"
	"strings"
)

// writeCompletion prints what makes a shell complete the options, out of the table of flags.
func writeCompletion(w io.Writer, shell string) error {
	var text string
	switch shell {
	case "bash":
		text = bashCompletion()
	case "zsh":
		text = zshCompletion()
	case "fish":
		text = fishCompletion()
	default:
		return usageError("option --completion: expected bash, zsh or fish, got %q", shell)
	}
	_, err := io.WriteString(w, text)
	return err
}

// namesFile reports whether the argument of a flag is a file.
func (f *flag) namesFile() bool { return f.arg == "FILE" || f.arg == "DIR" || f.arg == "PATH" }

func bashCompletion() string {
	var all, files, others []string
	for i := range flags {
		f := &flags[i]
		names := []string{"--" + f.long}
		if f.short != 0 {
			names = append(names, "-"+string(f.short))
		}
		all = append(all, names...)
		switch {
		case f.namesFile():
			files = append(files, names...)
		case f.arg != "":
			others = append(others, names...)
		}
	}
	return fmt.Sprintf(`# Completion of okcurl for bash: source it, or put it into a file of /etc/bash_completion.d.
_okcurl() {
	local word=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	case ${COMP_WORDS[COMP_CWORD-1]} in
	--completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")); return ;;
	--tls-max) COMPREPLY=($(compgen -W "1.2 1.3" -- "$word")); return ;;
	%s) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")); return ;;
	%s) return ;;
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "%s" -- "$word")) ;;
	esac
}
complete -F _okcurl okcurl
`, strings.Join(files, "|"), strings.Join(others, "|"), strings.Join(all, " "))
}

// zshText is a text within a quoted description of zsh's _arguments.
var zshText = strings.NewReplacer(`'`, `'\''`, `[`, `\[`, `]`, `\]`, `:`, `\:`)

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef okcurl\n_arguments -s -S \\\n")
	for i := range flags {
		f := &flags[i]
		var action string
		switch {
		case f.long == "completion":
			action = ":shell:(bash zsh fish)"
		case f.long == "tls-max":
			action = ":version:(1.2 1.3)"
		case f.namesFile():
			action = ":" + strings.ToLower(f.arg) + ":_files"
		case f.arg != "":
			action = ":" + strings.ToLower(zshText.Replace(f.arg)) + ": "
		}
		names := "--" + f.long
		if f.short != 0 {
			names = fmt.Sprintf("'{-%c,--%s}'", f.short, f.long)
		}
		fmt.Fprintf(&b, "  '*%s[%s]%s' \\\n", names, zshText.Replace(f.help), action)
	}
	b.WriteString("  '*:URL:_urls'\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# Completion of okcurl for fish: put it into ~/.config/fish/completions/okcurl.fish.\n")
	for i := range flags {
		f := &flags[i]
		b.WriteString("complete -c okcurl")
		if f.short != 0 {
			fmt.Fprintf(&b, " -s '%c'", f.short)
		}
		b.WriteString(" -l " + f.long)
		switch {
		case f.long == "completion":
			b.WriteString(" -x -a 'bash zsh fish'")
		case f.long == "tls-max":
			b.WriteString(" -x -a '1.2 1.3'")
		case f.namesFile():
			b.WriteString(" -r -F")
		case f.arg != "":
			b.WriteString(" -x")
		}
		fmt.Fprintf(&b, " -d '%s'\n", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(f.help))
	}
	return b.String()
}
