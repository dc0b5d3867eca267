// Package auth has the names of Nebius' login library that provider-kubernetes compiles against.
package auth

type BearerToken struct{ Token string }

type PrivateKeyParser struct{}

func NewPrivateKeyParser(_ []byte, _, _ string) PrivateKeyParser { return PrivateKeyParser{} }
