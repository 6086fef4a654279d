package servecli

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/admin"
	"github.com/okhttp-go/ok/mockserver/route"
)

// keptRequests is how many requests a server with --admin remembers.
const keptRequests = 1000

// startAdmin starts the interface to a server, on a loopback address.
func startAdmin(o serveArgs, server *mockserver.Server, routes *route.Routes) (*mockserver.Server, error) {
	host, port, err := net.SplitHostPort(o.admin)
	if err != nil {
		return nil, err
	}
	if host == "localhost" || host == "" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("--admin %s: expected a loopback address", o.admin)
	}
	token, err := tokenOf(o.tokenFile)
	if err != nil {
		return nil, err
	}
	d, err := admin.New(admin.Config{Server: server, Routes: routes, Dir: o.stubDir(), Token: token})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.tokenFile, err)
	}
	return mockserver.Start(mockserver.WithAddr(net.JoinHostPort(host, port)), mockserver.WithDispatcher(d), mockserver.WithJournalLimit(0), mockserver.WithBodyLimit(admin.MaxBody))
}

// stubDir is the folder of the files that stubs name which are added later: the one of the first stubs.
func (o serveArgs) stubDir() string {
	stubs := o.stubs
	if strings.HasSuffix(o.path, ".json") {
		stubs = append(stubs[:len(stubs):len(stubs)], o.path)
	}
	if len(stubs) == 0 {
		return ""
	}
	if info, err := os.Stat(stubs[0]); err == nil && info.IsDir() {
		return stubs[0]
	}
	return filepath.Dir(stubs[0])
}

// tokenOf reads the token of a file, or makes both. Nobody but its owner can read one that was made.
func tokenOf(file string) (string, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		text, err := os.ReadFile(file)
		return strings.TrimSpace(string(text)), err
	case err != nil:
		return "", err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	token := hex.EncodeToString(secret)
	_, err = f.WriteString(token + "\n")
	return token, errors.Join(err, f.Close())
}
