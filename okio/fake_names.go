package okio

import (
	"fmt"
	"strings"
)

// checkNames rejects an absolute path with names that no system has, or that the emulated one does not have.
func (f *FakeFileSystem) checkNames(p Path) error {
	if strings.IndexByte(p.String(), 0) >= 0 {
		return invalidError(fmt.Sprintf("name has a NUL byte: %q", p.String()))
	}
	if !f.windowsNames {
		return nil
	}
	for _, name := range p.Segments() {
		if i := strings.IndexFunc(name, reservedOnWindows); i >= 0 {
			return invalidError(fmt.Sprintf("name has %q, which Windows reserves: %q", name[i], name))
		}
		if device := windowsDevice(name); device != "" {
			return invalidError(fmt.Sprintf("name is that of the device %s on Windows: %q", device, name))
		}
	}
	return nil
}

// checkTarget is checkNames for what a link at the absolute path at is to point to.
func (f *FakeFileSystem) checkTarget(at, target Path) error {
	directory, _ := at.Parent()
	return f.checkNames(f.absolute(directory.Resolve(target)))
}

// reservedOnWindows reports whether no name on Windows has r.
func reservedOnWindows(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*`, r) }

// windowsDevice returns the device that Windows takes the name for in every directory, with any extension and in any case, or "".
func windowsDevice(name string) string {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return base
	}
	if len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT") && '1' <= base[3] && base[3] <= '9' {
		return base
	}
	return ""
}
