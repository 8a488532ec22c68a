# Builds beside the plain `cargo build --release`.
#
#   make            build for this machine
#   make portable   build for any x86-64 since 2009
#   make pgo        build guided by a profile of the bench
#   make check      everything a change must pass
#   make from-zero  a network that learned from nothing, in minutes
#   make bench      nodes of the search, speed of the rules beside other libraries
#
# As OpenBench calls it, `make EXE=path EVALFILE=network` builds the bare engine with that network
# and puts it there.

CARGO ?= cargo
PROFILES := $(CURDIR)/target/pgo-profiles
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
# The compiler's own (`rustup component add llvm-tools`): another may not know its format.
PROFDATA ?= $(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
BINARY := saavedra$(SUFFIX)

ifneq ($(EVALFILE),)
export EVALFILE
endif

.PHONY: build portable pgo check bench from-zero clean

ifeq ($(EXE),)
build:
	$(CARGO) build --release --locked
else
build:
	$(CARGO) build --release --locked --no-default-features
	cp "target/release/$(BINARY)" "$(patsubst %.exe,%,$(EXE))$(SUFFIX)"
endif

portable:
	RUSTFLAGS="-C target-cpu=x86-64-v2" $(CARGO) build --release --locked --target-dir target/portable
	@echo "target/portable/release/$(BINARY)"

# Build with counters, let the bench run, build again with what was counted. A target is named so
# that build scripts are left out of it.
pgo:
	rm -rf "$(PROFILES)"
	RUSTFLAGS="-C target-cpu=native -C profile-generate=$(PROFILES)" \
		$(CARGO) build --release --locked --target $(HOST) --target-dir target/pgo
	"target/pgo/$(HOST)/release/$(BINARY)" bench
	"$(PROFDATA)" merge -o "$(PROFILES)/merged.profdata" "$(PROFILES)"
	RUSTFLAGS="-C target-cpu=native -C profile-use=$(PROFILES)/merged.profdata" \
		$(CARGO) build --release --locked --target $(HOST) --target-dir target/pgo
	@echo "target/pgo/$(HOST)/release/$(BINARY)"

check:
	bash .ci/run

from-zero:
	$(CARGO) build --release --locked -p saavedra -p saavedra-trainer
	sh networks/from-zero.sh

bench:
	$(CARGO) build --release --locked
	"target/release/$(BINARY)" bench
	$(CARGO) bench --locked --bench perft_compare
	$(CARGO) bench --locked --bench chess

clean:
	$(CARGO) clean
