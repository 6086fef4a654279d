package build

import "context"

// Demo runs the client's main job against a server in the same process and prints what happened, event by event.
func Demo(ctx context.Context) error {
	w, err := Open(".")
	if err != nil {
		return err
	}
	return command{dir: w.Root}.run(ctx, "go", "run", "./docs/examples/cmd/demo")
}
