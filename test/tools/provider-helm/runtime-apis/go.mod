module github.com/crossplane/crossplane-runtime/v2/apis/common

go 1.26.0

require github.com/crossplane/crossplane/apis/v2 v2.3.4
