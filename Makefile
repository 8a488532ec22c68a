# Builds other than the plain `cargo build --release`.
#
#   make            build for this machine
#   make portable   build for any x86-64 machine since 2009
#   make pgo        build with profile-guided optimisation
#   make check      run all checks that a change must pass
#   make from-zero  train a small network from scratch, in minutes
#   make bench      run the bench and the benchmarks of move generation
#
# OpenBench calls `make EXE=path EVALFILE=network`, which builds the bare engine with that network and
# copies it to that path.

CARGO ?= cargo
PROFILES := $(CURDIR)/target/pgo-profiles
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
# The tool of the compiler (`rustup component add llvm-tools`): another version may not read its format.
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

# Build with instrumentation, run the bench, build again with its profile. With an explicit target,
# Cargo does not instrument the build scripts.
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
