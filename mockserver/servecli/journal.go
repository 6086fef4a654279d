package servecli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/admin"
	"github.com/okhttp-go/ok/okhttp"
)

// journalArgs are the arguments of journal.
type journalArgs struct {
	url, tokenFile          string
	unmatched, json, forget bool
	limit                   int
}

func parseJournal(args []string) (o journalArgs, err error) {
	flags := flag.NewFlagSet("journal", flag.ContinueOnError)
	flags.StringVar(&o.tokenFile, "token-file", "", "")
	flags.BoolVar(&o.unmatched, "unmatched", false, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.forget, "forget", false, "")
	flags.IntVar(&o.limit, "limit", -1, "")
	urls, err := parseFlags(flags, args)
	switch {
	case err != nil:
		return o, err
	case len(urls) != 1:
		return o, usagef("journal: expected the URL of \"admin on\" but got %d", len(urls))
	case o.tokenFile == "":
		return o, usagef("journal: expected --token-file")
	case o.unmatched && (o.json || o.limit >= 0):
		return o, usagef("journal: --unmatched shows all, as text")
	}
	o.url = strings.TrimSuffix(urls[0], "/")
	return o, nil
}

// journal shows what came to a server.
func journal(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseJournal(args)
	if err != nil {
		return err
	}
	token, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return err
	}
	client := okhttp.New(okhttp.WithFollowRedirects(false))
	defer client.Close()
	path := "/requests"
	switch {
	case o.unmatched:
		path = "/unmatched"
	case o.limit >= 0:
		path += fmt.Sprintf("?limit=%d", o.limit)
	}
	text, err := ask(ctx, client, "GET", o.url+path, strings.TrimSpace(string(token)))
	if err == nil {
		err = show(text, o, out)
	}
	if err == nil && o.forget {
		_, err = ask(ctx, client, "DELETE", o.url+"/requests", strings.TrimSpace(string(token)))
	}
	return err
}

// ask sends a request to the interface of a server.
func ask(ctx context.Context, client *okhttp.Client, method, url, token string) (string, error) {
	req, err := okhttp.NewRequest(method, url, okhttp.AddHeader("Authorization", "Bearer "+token))
	if err != nil {
		return "", err
	}
	resp, err := client.NewCall(req).Execute(ctx)
	if err != nil {
		return "", err
	}
	text, err := resp.Body.Text()
	if err != nil {
		return "", err
	}
	if resp.Status >= 300 {
		return "", fmt.Errorf("%s: status %d: %s", url, resp.Status, admin.Printable(strings.TrimSpace(text)))
	}
	return text, nil
}

// show writes an answer for people, or as it is.
func show(text string, o journalArgs, out io.Writer) error {
	if o.json {
		_, err := io.WriteString(out, text)
		return err
	}
	if o.unmatched {
		var list []string
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return errors.New("the answer is not that of a mockserver")
		}
		for _, report := range list {
			if _, err := fmt.Fprintln(out, admin.Printable(report)); err != nil {
				return err
			}
		}
		return nil
	}
	var j admin.Journal
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return errors.New("the answer is not that of a mockserver")
	}
	for _, e := range j.Requests {
		if _, err := fmt.Fprintln(out, e.String()); err != nil {
			return err
		}
	}
	return nil
}
