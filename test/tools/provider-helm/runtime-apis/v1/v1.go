// Package v1 keeps the import path that provider-helm 1.3 uses. From 2.3 on crossplane-runtime has these types in
// crossplane/apis/v2/core/v2.
package v1

import core "github.com/crossplane/crossplane/apis/v2/core/v2"

type (
	CommonCredentialSelectors = core.CommonCredentialSelectors
	Condition                 = core.Condition
	ConditionType             = core.ConditionType
	ConditionedStatus         = core.ConditionedStatus
	CredentialsSource         = core.CredentialsSource
	DeletionPolicy            = core.DeletionPolicy
	LocalSecretReference      = core.LocalSecretReference
	ManagementAction          = core.ManagementAction
	ManagementPolicies        = core.ManagementPolicies
	ProviderConfigReference   = core.ProviderConfigReference
	ProviderConfigStatus      = core.ProviderConfigStatus
	ProviderConfigUsage       = core.ProviderConfigUsage
	Reference                 = core.Reference
	ResourceSpec              = core.ClusterManagedResourceSpec
	ResourceStatus            = core.ManagedResourceStatus
	SecretKeySelector         = core.SecretKeySelector
	SecretReference           = core.SecretReference
	TypedReference            = core.TypedReference
)

const (
	CredentialsSourceInjectedIdentity = core.CredentialsSourceInjectedIdentity

	ManagementActionAll            = core.ManagementActionAll
	ManagementActionLateInitialize = core.ManagementActionLateInitialize
	ManagementActionUpdate         = core.ManagementActionUpdate
)

var (
	Available   = core.Available
	Unavailable = core.Unavailable
)
