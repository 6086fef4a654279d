package build

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"
)

// Soak runs the soak tests for SOAKTIME, an hour by default, and shows what they report as it comes: half of the time calls over a hostile network, half of it calls, a
// cache, web sockets and event streams at once against mock servers that misbehave. SOAKRACE=1 adds the race detector.
func Soak(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	total, err := time.ParseDuration(cmp.Or(os.Getenv("SOAKTIME"), "1h"))
	if err != nil || total < 2*time.Second {
		return fmt.Errorf("build: SOAKTIME is %q, want a time as 10m, of two seconds at least", os.Getenv("SOAKTIME"))
	}
	each := total / 2
	args := []string{"test", "-count=1", "-v", "-timeout=" + (total + 10*time.Minute).String()}
	var env []string
	if os.Getenv("SOAKRACE") != "" {
		var why string
		if env, why = raceEnv(ctx); why != "" {
			return fmt.Errorf("build: SOAKRACE is set, and the race detector does not work here: %s", why)
		}
		args = append(args, "-race")
	}
	fmt.Printf("two soaks of %v each, about %v in all\n", each, total)
	return command{dir: w.Root, env: append(env, "OK_SOAK="+each.String())}.run(ctx, "go", append(args, "./tests/soak")...)
}
