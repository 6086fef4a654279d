package stub

import "github.com/okhttp-go/ok/mockserver"

// Fill runs the template of a stub's response for a request.
func Fill(s Stub, r *mockserver.Request) error {
	t, err := s.Responses[0].templates()
	if err != nil {
		return err
	}
	return t.fill(s.Responses[0].plain(), "", newData(r, nil, 0)).Err()
}
