package oktls

// unknownKey is a certificate for a key on the curve X448, which package x509 does not know, by openssl x509 -req -force_pubkey.
const unknownKey = `-----BEGIN CERTIFICATE-----
MIIBEDCBtwIUEpYVDuAKkShY+aIrJHnMYxyGbeEwCgYIKoZIzj0EAwIwFzEVMBMG
A1UEAwwMb3BlbnNzbC50ZXN0MCAXDTI2MTIwMTE3MzMxNVoYDzIxMjYxMTA3MTcz
MzE1WjAUMRIwEAYDVQQDDAl4NDQ4LnRlc3QwQjAFBgMrZW8DOQCm+89OPKjM46p7
jqUkwJag+sov+p8x/YNNOPQIW/mxTOvVxB5jR540MwEBAgFIWhQbXU+zoqWmwTAK
BggqhkjOPQQDAgNIADBFAiAlmhxej/xKYIz5t6FCD2egGm26/HQpW0/DsBrkYEIv
BwIhAL1IcRiWe6QkmgGA/Q1XcTGAIXA1mHdKnh8qnV6VSGqT
-----END CERTIFICATE-----
`
