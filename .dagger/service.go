package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// service is a service step that runs.
type service struct {
	i         *interpreter
	running   *dagger.Service
	name      pipeline.StepName
	collector pipeline.Step
	in        map[pipeline.Ref]artifact
	once      sync.Once
	out       map[pipeline.Ref]artifact
	err       error
}

// Serve starts a service step and returns when it answers. Only steps that relay to it are bound to it.
func (i *interpreter) Serve(ctx context.Context, s pipeline.Step, in map[pipeline.Ref]artifact) (pipeline.Service[artifact], error) {
	collector, ok := i.plan.Collector(s.Name)
	if !ok {
		return nil, fmt.Errorf("step %s is no service", s.Name)
	}
	c, err := i.prepare(s, in)
	if err != nil {
		return nil, err
	}
	if c, err = c.Sync(ctx); err != nil {
		return nil, fmt.Errorf("prepare the container: %w", err)
	}
	if c, err = i.grant(c.WithExposedPort(int(s.Serves)), s, in); err != nil {
		return nil, err
	}
	running, err := c.AsService(dagger.ContainerAsServiceOpts{Args: entry(s)}).Start(ctx)
	if err != nil {
		return nil, failed(s, err)
	}
	return &service{i: i, running: running, name: s.Name, collector: collector, in: in}, nil
}

// Stop asks the service for what it counted, while it still answers, and ends it: the files of a service cannot be read back.
func (s *service) Stop(ctx context.Context) (map[pipeline.Ref]artifact, error) {
	s.once.Do(func() { s.out, s.err = s.stop(ctx) })
	return s.out, s.err
}

func (s *service) stop(ctx context.Context) (map[pipeline.Ref]artifact, error) {
	left, outcome, err := s.i.Run(ctx, s.collector, s.in, map[pipeline.StepName]pipeline.Service[artifact]{s.name: s})
	if err == nil && outcome.Decision != pipeline.Continue {
		err = fmt.Errorf("service %s: %s %s", s.name, outcome.Rule, outcome.Reason)
	}
	if _, stopErr := s.running.Stop(ctx); stopErr != nil {
		err = errors.Join(err, fmt.Errorf("service %s did not stop: %w", s.name, stopErr))
	}
	if err != nil {
		return nil, err
	}
	out := map[pipeline.Ref]artifact{}
	for _, o := range s.collector.Out {
		if a, ok := left[s.collector.Ref(o.Name)]; ok {
			out[pipeline.Ref(string(s.name)+"."+o.Name)] = a
		}
	}
	return out, nil
}
