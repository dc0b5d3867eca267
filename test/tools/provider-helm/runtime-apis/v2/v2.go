// Package v2 keeps the import path that provider-helm 1.3 uses, see package v1.
package v2

import core "github.com/crossplane/crossplane/apis/v2/core/v2"

type (
	ManagedResourceSpec      = core.ManagedResourceSpec
	TypedProviderConfigUsage = core.TypedProviderConfigUsage
)
