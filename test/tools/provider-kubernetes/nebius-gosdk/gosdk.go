// Package gosdk stands in for Nebius' cloud login library, which the module proxy does not serve. A ProviderConfig with
// identity NebiusServiceAccountCredentials fails; nothing else of provider-kubernetes comes here.
package gosdk

import (
	"context"
	"errors"

	"github.com/nebius/gosdk/auth"
)

var errNotBuilt = errors.New("this build has no login to Nebius")

type Option struct{}

type SDK struct{}

func New(context.Context, ...Option) (*SDK, error) { return nil, errNotBuilt }

func (*SDK) BearerToken(context.Context) (auth.BearerToken, error) {
	return auth.BearerToken{}, errNotBuilt
}

func ServiceAccountReader(auth.PrivateKeyParser) Option { return Option{} }

func WithCredentials(reader Option) Option { return reader }
