module sett.invalid/verify

go 1.26.0

require golang.org/x/mod v0.43.0

require golang.org/x/crypto v0.58.0

require golang.org/x/sys v0.49.0 // indirect
