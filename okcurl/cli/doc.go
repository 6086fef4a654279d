// Package cli is the okcurl command behind its ten-line main.
package cli
