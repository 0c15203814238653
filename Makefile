# Every target does its own set-up: `make demo` and `make test` work on a fresh machine that has Go, Node, npm and git.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
GO ?= go
BIN := build/self-fix

.PHONY: build demo browser test fuzz bench help clean

build: ## build the command and worker into build/self-fix
	@mkdir -p build
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN) ./cmd/self-fix

demo: build ## play the whole loop on loopback: a repair, and a hijacked one
	@$(BIN) demo --out build/demo

browser: ## install Debian's headless browser for the test of the demo's page, where this is root
	@if command -v chromium-headless-shell chromium >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then exit 0; fi; \
	install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null; }; \
	install || { apt-get update -qq && install; } || echo "no headless browser can be installed; its test says so" >&2

test: browser ## run all tests; where an engine, a package or a registry is missing, the test says so
	$(GO) vet ./...
	$(GO) test -timeout 20m ./...
	cd internal/ghfake/contract && $(GO) vet ./... && $(GO) test -timeout 10m ./...

fuzz: ## compare the readings of patches over 10,000,000 mutations in process and 300,000 with git (make test has 20 seconds of it)
	$(GO) test ./checker -run 'TestReadingsAgree' -timeout 0 -v -readings.executions 10000000 -readings.git 300000

bench: ## run the benchmarks; figures are ratios against a named peer of the same run
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

clean: ## remove what the other targets built
	rm -rf build

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
