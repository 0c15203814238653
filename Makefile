# Every target does its own set-up: `make demo` and `make test` work on a fresh machine that has Go, Node, npm and git.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
GO ?= go
BIN := build/self-fix

.PHONY: build demo packages test test-dagger fuzz bench help clean

# The program is written once more, in one piece: a file system with large folios then keeps it in pages of two MiB, and a start maps a
# dozen of them where it touched hundreds of small ones. That is a third of the time of a short command, and every step is one.
build: ## build the command and worker into build/self-fix
	@mkdir -p $(dir $(BIN))
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN) ./cmd/self-fix
	@dd if=$(BIN) of=$(BIN).new bs=256M status=none && chmod 755 $(BIN).new && mv -f $(BIN).new $(BIN)

demo: build ## play the whole loop on loopback: a repair, and a hijacked one
	@$(BIN) demo --out build/demo

packages: ## install the Debian packages that some tests use (a headless browser, jq), where this is root
	@want=; for p in chromium-headless-shell jq; do command -v $$p >/dev/null || want="$$want $$p"; done; \
	if [ -z "$$want" ] || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then exit 0; fi; \
	install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$want >/dev/null; }; \
	install 2>/dev/null || { apt-get update -qq && install; } || echo "cannot install$$want: tests that use it say so" >&2

test: packages ## run all tests; where an engine, a package or a registry is missing, the test says so
	$(GO) vet ./...
	$(GO) test -timeout 20m $$($(GO) list ./... | grep -v '/daggertest/engine$$')
	$(GO) test -timeout 90m -v ./internal/daggertest/engine # says whether an engine answered
	cd internal/ghfake/contract && $(GO) vet ./... && $(GO) test -timeout 10m ./...

test-dagger: ## call the Dagger module's functions on a real engine; where none answers, the test says so
	$(GO) test ./internal/daggertest/engine -count 1 -timeout 90m -v

fuzz: ## compare the readings of patches over 10,000,000 mutations in process and 300,000 with git (make test has 20 seconds of it)
	$(GO) test ./checker -run 'TestReadingsAgree' -timeout 0 -v -readings.executions 10000000 -readings.git 300000

bench: ## run the benchmarks; figures are ratios against a named peer of the same run
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

clean: ## remove what the other targets built
	rm -rf build

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
