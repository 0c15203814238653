package main

import (
	"encoding/json"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"selffix/internal/tokens"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
)

// proxyGrace is how long requests may go on after the proxy was told to end.
const proxyGrace = 2 * time.Second

func newProxy(e env) *cobra.Command {
	var policyFile, tokenFile, keyFile, listen string
	c := &cobra.Command{
		Use:   "proxy --policy FILE --token-file FILE --key-file FILE --listen ADDR",
		Short: "serve the policy's model to an agent that holds no secret",
		Long: `Serve POST /v1/messages of the policy's one model on its one host, and nothing else, to clients that
send this run's key. Only the proxy holds the model token. Requests are read strictly and written anew;
requests, tokens and money are capped by the policy.

It prints "listening on ADDR" when it answers. SIGTERM or SIGINT ends it; what was spent is then
printed as one line of JSON. GET /meter, with the key, answers the same at any time.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if host, _, err := net.SplitHostPort(listen); err != nil || host == "" {
				return fmt.Errorf("--listen %q: want HOST:PORT, such as 127.0.0.1:8080; without a host every network of this machine would be answered", listen)
			}
			p, err := openProxy(policyFile, tokenFile, keyFile)
			if err != nil {
				return err
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("listen for the agent: %w", err)
			}
			fmt.Fprintf(e.Stdout, "listening on %s\n", l.Addr())
			if err := p.Serve(c.Context(), l, proxyGrace); err != nil {
				return fmt.Errorf("serve the agent: %w", err)
			}
			return json.NewEncoder(e.Stdout).Encode(p.Meter())
		},
	}
	f := c.Flags()
	f.StringVar(&policyFile, "policy", "", "policy file of the default branch")
	f.StringVar(&tokenFile, "token-file", "", "file that holds the model token alone")
	f.StringVar(&keyFile, "key-file", "", "file that holds this run's random key alone")
	f.StringVar(&listen, "listen", "", "address to answer on, such as 127.0.0.1:8080; port 0 takes a free one")
	for _, name := range []string{"policy", "token-file", "key-file", "listen"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
	return c
}

// openProxy makes a proxy of three files. Nothing is sent yet.
func openProxy(policyFile, tokenFile, keyFile string) (*proxy.Proxy, error) {
	pol, err := policy.Load(policyFile)
	if err != nil {
		return nil, err
	}
	token, err := tokens.ReadFile(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("model token: %w", err)
	}
	key, err := tokens.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("key of this run: %w", err)
	}
	return proxy.New(proxy.Options{Policy: pol, Token: token, Key: key})
}
