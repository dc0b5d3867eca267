// Package common exists because its two sub-packages need a module root.
package common
