package cli

import (
	"crypto/tls"
	"crypto/x509"
	"os"
)

// tlsConfig returns what --insecure and --cacert ask for, nil if they are not given.
func (o *options) tlsConfig() (*tls.Config, error) {
	if !o.insecure && o.caFile == "" {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: o.insecure}
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
