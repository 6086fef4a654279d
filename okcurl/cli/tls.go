package cli

import (
	"crypto/tls"
	"crypto/x509"
	"os"
)

// tlsConfig returns what --cacert asks for, and --insecure where that is heeded, nil if it is nothing.
func (o *options) tlsConfig(insecure bool) (*tls.Config, error) {
	if !insecure && o.caFile == "" {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: insecure}
	if o.caFile != "" {
		pem, err := os.ReadFile(o.caFile)
		if err != nil {
			return nil, &failure{exitCAFile, "cannot read the certificates of --cacert: " + pathText(err)}
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &failure{exitCAFile, "no certificate in PEM form in " + o.caFile}
		}
	}
	return c, nil
}
