package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
)

// Secrets is what a bot shows to an arena, and the kind of connection. An arena without accounts wants no key.
type Secrets struct {
	Key   string         // says who it is
	TLS   bool           // whether to connect with TLS
	Trust *x509.CertPool // with TLS: the certificates to trust; nil: those that this machine trusts
}

func (s Secrets) options() []grpc.DialOption {
	// An arena says something every few seconds. After a longer silence, ask whether it is still there.
	silence := keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}
	// Newer gRPC prefers grpc.WithTransportCredentials(insecure.NewCredentials()) to WithInsecure; both work.
	security := grpc.WithInsecure()
	if s.TLS {
		security = grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: s.Trust}))
	}
	return []grpc.DialOption{security, grpc.WithKeepaliveParams(silence)}
}

func (s Secrets) context() context.Context {
	if s.Key == "" {
		return context.Background()
	}
	return metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+s.Key)
}
