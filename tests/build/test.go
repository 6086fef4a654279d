package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// testTimeout bounds one test binary, so that a hang shows as stacks rather than as a lost CI job. Under -race on a busy machine a suite takes minutes.
const testTimeout = "-timeout=10m"

// Test runs all tests of all modules in one go command, shuffled, and with the race detector where a C compiler exists. The go
// command prints last. When a test fails the process ends here with the go command's status: a message of ours would follow its summary.
func Test(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	args := []string{"test", "-shuffle=on", testTimeout}
	env, why := raceEnv(ctx)
	if why == "" {
		args = append(args, "-race")
	} else {
		fmt.Printf("without -race: %s\n", why)
	}
	err = command{dir: w.Root, env: env}.run(ctx, "go", append(args, patterns(w.Modules)...)...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		os.Exit(exit.ExitCode())
	}
	return err
}

// raceEnv returns the environment in which -race works, or why it cannot: the race detector is linked by a C compiler.
func raceEnv(ctx context.Context) (env []string, why string) {
	out, err := command{}.output(ctx, "go", "env", "CC")
	fields := strings.Fields(out)
	if err != nil || len(fields) == 0 {
		return nil, "go env names no C compiler"
	}
	if _, err := exec.LookPath(fields[0]); err != nil {
		return nil, fmt.Sprintf("the C compiler %s is not installed", fields[0])
	}
	env = []string{"CGO_ENABLED=1"}
	// The detector exists for some platforms only; the go command knows which.
	if out, err := (command{env: env}).quiet(ctx, "go", "build", "-race", "-o", os.DevNull, "runtime/race"); err != nil {
		return nil, strings.TrimSpace(out)
	}
	return env, ""
}
