package examples

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/servecli"
	"github.com/okhttp-go/ok/okcurl/cli"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// pages returns the pages of the repository that somebody wrote, from its root, with their texts.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "reference" || // which is made of the code
			len(d.Name()) > 2 && d.Name()[0] == '.'):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			name, err := filepath.Rel("../..", path)
			all[filepath.ToSlash(name)] = page(t, path)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// blocks returns the code of a page that is marked as of a language.
func blocks(text, language string) []string {
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// Each line of a shell that a page shows is run, or looked at where running it would not end or would change the machine.
func TestShell(t *testing.T) {
	origin := everyHost(t)
	count := 0
	for name, text := range pages(t) {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // the lines of a page build on each other
			if err := os.WriteFile("report.pdf", []byte("%PDF"), 0o600); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(strings.Join(blocks(text, "sh"), "")) {
				if words := shellWords(line); len(words) > 0 {
					count++
					if err := origin.shell(words); err != nil {
						t.Errorf("%s: %v", strings.TrimSpace(line), err)
					}
				}
			}
		})
	}
	if count < 30 {
		t.Errorf("%d lines were found, the pattern is wrong", count)
	}
}

// shellWords splits a line as a shell does, without what assigns, redirects, pipes and comments.
func shellWords(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(#.*)|([>|].*)|([A-Z]+=('[^']*'|\S+))|(\S+)`).FindAllStringSubmatch(strings.TrimSpace(line), -1) {
		switch {
		case m[1] != "":
			words = append(words, m[1])
		case m[2] != "", m[3] != "":
			return words
		case m[6] != "":
			words = append(words, m[6])
		}
	}
	return words
}

// internet is one server that stands for all hosts.
type internet struct{ flags []string }

func everyHost(t *testing.T) *internet {
	server := mockserver.New(t, mockserver.WithLocalhostTLS("example.com", "*.example.com"), mockserver.WithHTTPProxy("", ""))
	prices := 0
	server.SetDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		switch {
		case strings.HasSuffix(r.Target, "/prices"):
			if prices++; prices > 1 {
				return mockserver.Reply(204)
			}
			return mockserver.Reply(200).Header("Content-Type", "text/event-stream").Text("retry: 1\nid: 1\ndata: 3\n\n")
		case strings.HasSuffix(r.Target, "/answers"):
			return mockserver.Reply(200).Header("Content-Type", "text/event-stream").Text("data: {}\n\ndata: [DONE]\n\n")
		case strings.HasSuffix(r.Target, "/chat"):
			return mockserver.WebSocket(nil, func(ctx context.Context, c *okws.Conn) {
				for range c.Messages(ctx) {
				}
			})
		case strings.HasPrefix(r.Headers.Get("Range"), "bytes=4-"):
			return mockserver.Reply(206).Header("Content-Range", "bytes 4-7/8").Text("more")
		}
		return mockserver.Reply(200).Header("Cache-Control", "max-age=60").Text("some")
	}))
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, server.CertificatePEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	return &internet{[]string{"--proxy", server.ProxyURL(), "--noproxy", "nobody.invalid", "--cacert", ca}}
}

var target = regexp.MustCompile(`(?m)^func (?:\((\w+)\) )?(\w+)\(ctx context.Context`)

// shell runs a command, or tells whether it could be.
func (i *internet) shell(words []string) error {
	var out, complaints bytes.Buffer
	switch words[0] {
	case "okcurl":
		args := words[1:]
		if args[0] != "cache" {
			args = append(i.flags[:len(i.flags):len(i.flags)], args...)
		}
		if code := cli.Main(args, strings.NewReader(""), &out, &complaints); code != 0 {
			return fmt.Errorf("exit code %d: %s", code, &complaints)
		}
		return nil
	case "mockserver": // serves until it is ended
		servecli.Main([]string{"help"}, nil, &out, &complaints)
		for _, word := range words[1:] {
			if (strings.HasPrefix(word, "--") || word == words[1]) && !strings.Contains(out.String(), word) {
				return fmt.Errorf("the help lacks %s:\n%s", word, &out)
			}
		}
		return nil
	case "go":
		return goCommand(words[1:])
	case "curl": // whose options okcurl has
		args := append(i.flags[:len(i.flags):len(i.flags)], words[1:]...)
		if code := cli.Main(args, strings.NewReader(""), &out, &complaints); code != 0 {
			return fmt.Errorf("exit code %d of okcurl: %s", code, &complaints)
		}
		curl, err := exec.LookPath("curl")
		if err != nil {
			return nil
		}
		if text, err := exec.Command(curl, append([]string{"-sS"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		return nil
	case "git":
		return gitCommand(words[1:])
	}
	return fmt.Errorf("nobody knows whether it works")
}

// gitCommand runs git in a checkout of branch main that has an origin, and the tags that are named; "…" stands for more of those.
func gitCommand(words []string) error {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil // a machine with Go alone
	}
	run := func(args ...string) error {
		cmd := exec.Command(git, args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.invalid",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.invalid",
			"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0", "GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false") // nothing outlives it
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		return nil
	}
	if _, err := os.Stat("origin.git"); err != nil {
		for _, args := range [][]string{{"init", "--bare", "origin.git"}, {"init"}, {"symbolic-ref", "HEAD", "refs/heads/main"}, {"remote", "add", "origin", "origin.git"},
			{"commit", "--allow-empty", "-m", "first"}} {
			if err := run(args...); err != nil {
				return err
			}
		}
	}
	var args []string
	for _, word := range words {
		if strings.Contains(word, "/v") {
			if err := run("tag", "--force", word); err != nil {
				return err
			}
		}
		if word != "…" {
			args = append(args, word)
		}
	}
	return run(args...)
}

var root, _ = filepath.Abs("../..")

// goCommand tells whether what the go command is to do is there.
func goCommand(words []string) error {
	switch {
	case words[0] == "tool" && words[1] == "mage":
		magefile, err := os.ReadFile(filepath.Join(root, "magefile.go"))
		if err != nil {
			return err
		}
		targets := map[string]bool{"docs": true, "bench": true} // aliases
		for _, m := range target.FindAllStringSubmatch(string(magefile), -1) {
			targets[strings.TrimPrefix(strings.ToLower(m[1]+":"+m[2]), ":")] = true
		}
		for _, word := range words[2:] {
			if !targets[word] && !strings.HasPrefix(word, "v1.") {
				return fmt.Errorf("there is no target %s of %v", word, targets)
			}
		}
		return nil
	case words[0] == "install":
		path := strings.TrimPrefix(strings.TrimSuffix(words[1], "@latest"), "github.com/okhttp-go/ok/")
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(path), "main.go"))
		return err
	case words[0] == "run":
		_, err := os.Stat(filepath.Join(root, words[1], "main.go"))
		return err
	case words[0] == "test":
		for _, word := range words[1:] {
			if _, err := os.Stat(filepath.Join(root, word)); err != nil && word[0] != '-' {
				return err
			}
		}
		return nil
	case words[0] == "work" && words[1] == "init":
		for _, word := range words[3:] {
			if _, err := os.Stat(filepath.Join(root, strings.TrimPrefix(word, "../ok"), "go.mod")); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("nobody knows whether it works")
}
