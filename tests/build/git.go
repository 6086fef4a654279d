package build

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// A repository is a git checkout that commands run in.
type repository struct {
	dir string
	env []string
}

// errNoGit says what is missing; only releases need it.
var errNoGit = errors.New("build: git is not installed")

func openRepository(dir string) (repository, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return repository{}, fmt.Errorf("%w (%w)", errNoGit, err)
	}
	return repository{dir: dir}, nil
}

// git runs a command of git and returns what it prints, without the last line end. What git has to say of a failure is in the error.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := command{dir: r.dir, env: r.env}.quiet(ctx, "git", args...)
	if err != nil && out != "" {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return out, err
}

// lines are the lines that a command of git prints.
func (r repository) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.git(ctx, args...)
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// clean returns an error that names what is not committed.
func (r repository) clean(ctx context.Context) error {
	changed, err := r.lines(ctx, "status", "--porcelain")
	if err == nil && len(changed) > 0 {
		err = fmt.Errorf("build: the checkout has changes that are not committed:\n%s", strings.Join(changed, "\n"))
	}
	return err
}

// clone makes a repository of its own in dir with the commit that r is at, and with its author.
func (r repository) clone(ctx context.Context, dir string) (repository, error) {
	if _, err := r.git(ctx, "clone", "--quiet", "--no-tags", ".", dir); err != nil {
		return repository{}, err
	}
	c := repository{dir: dir}
	for _, key := range []string{"user.name", "user.email"} {
		value, err := r.git(ctx, "config", key)
		if err != nil {
			return c, fmt.Errorf("build: git config %s is not set, and a release has an author: %w", key, err)
		}
		if _, err := c.git(ctx, "config", key, value); err != nil {
			return c, err
		}
	}
	return c, nil
}

// commit commits everything that has changed and returns the commit.
func (r repository) commit(ctx context.Context, message string) (string, error) {
	if _, err := r.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := r.git(ctx, "commit", "--quiet", "--message", message); err != nil {
		return "", err
	}
	return r.git(ctx, "rev-parse", "HEAD")
}
