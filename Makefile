# Builds other than the plain `cargo build --release`.
#
#   make            build for this machine
#   make portable   build for any x86-64 processor with SSE4.2 (x86-64-v2)
#   make pgo        build with profile-guided optimisation
#   make check      run all checks that a change must pass
#   make wasm       build the npm package in target/npm (WebAssembly)
#   make site       build the board page without a server in target/site/
#   make rules      build the rules of chess for the board page, web/assets/rules.wasm
#   make from-zero  train a small network from scratch, in minutes
#   make generation train the next generation of the network and let games decide
#   make manual     write the manual page and the shell completions
#   make deb        build the Debian package
#   make bench      run the bench and the benchmarks of move generation
#
# OpenBench calls `make EXE=path EVALFILE=network`, which builds the engine without the command line
# tools, with that network, and copies it to that path. With `TUNE=1` the parameters of the search are UCI
# options, and `saavedra spsa` lists them.

# Programs are taken from `target`.
unexport CARGO_TARGET_DIR

CARGO ?= cargo
# The instruction set of `make pgo`.
CPU ?= native
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

ifneq ($(TUNE),)
FEATURES := --features tune
endif

WASM := wasm32-unknown-unknown
NPM := target/npm
SITE := target/site

.PHONY: build portable pgo wasm rules site check bench from-zero clean manual deb generation

ifeq ($(EXE),)
build:
	$(CARGO) build --release --locked $(FEATURES)
else
build:
	$(CARGO) build --release --locked --no-default-features $(FEATURES)
	cp "target/release/$(BINARY)" "$(patsubst %.exe,%,$(EXE))$(SUFFIX)"
endif

portable:
	RUSTFLAGS="-C target-cpu=x86-64-v2" $(CARGO) build --release --locked --target-dir target/portable
	@echo "target/portable/release/$(BINARY)"

# Build with instrumentation, run the bench, build again with its profile. With an explicit target,
# Cargo does not instrument the build scripts.
pgo:
	rm -rf "$(PROFILES)"
	RUSTFLAGS="-C target-cpu=$(CPU) -C profile-generate=$(PROFILES)" \
		$(CARGO) build --release --locked --target $(HOST) --target-dir target/pgo
	"target/pgo/$(HOST)/release/$(BINARY)" bench
	"$(PROFDATA)" merge -o "$(PROFILES)/merged.profdata" "$(PROFILES)"
	RUSTFLAGS="-C target-cpu=$(CPU) -C profile-use=$(PROFILES)/merged.profdata" \
		$(CARGO) build --release --locked --target $(HOST) --target-dir target/pgo
	@echo "target/pgo/$(HOST)/release/$(BINARY)"

# The npm package. The search recurses, so the module gets a stack of 8 MB. Compressed relocations make the module
# smaller by 65 kB. The worker is one file.
wasm:
	rm -rf "$(NPM)"
	$(call wasm-module,saavedra,+simd128)
	$(call wasm-module,saavedra-scalar,-simd128)
	cp wasm/npm/*.js wasm/npm/*.d.ts wasm/npm/package.json wasm/npm/README.md LICENSE-* "$(NPM)"
	sed -e '/^import .* from /d' -e 's/^export //' wasm/npm/module.js wasm/npm/worker.js > "$(NPM)/worker.js"

# The rules for the board page. The file is in the tree, so that the web service is built without this target of the
# compiler; a test compares its answers with the rules in Rust. No path of this machine gets into it.
rules:
	RUSTFLAGS="-C target-feature=-simd128 --remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo --remap-path-prefix=$(CURDIR)=saavedra" \
		$(CARGO) build --profile rules --locked -p saavedra-rules --target $(WASM) --target-dir target/rules-wasm
	install -m 644 "target/rules-wasm/$(WASM)/rules/saavedra_rules.wasm" web/assets/rules.wasm

# The board page with an engine in the browser. The service worker gets a list of the files.
site: wasm
	rm -rf "$(SITE)"
	mkdir -p "$(SITE)/engine"
	cp -R web/assets "$(SITE)/assets"
	sed 's|</head>|<link rel="manifest" href="manifest.webmanifest"></head>|' web/assets/index.html > "$(SITE)/index.html"
	rm "$(SITE)/assets/index.html"
	cp wasm/site/api.js "$(SITE)/assets/api.js"
	cp wasm/site/sw.js wasm/site/manifest.webmanifest LICENSE-* "$(SITE)"
	cp "$(NPM)/index.js" "$(NPM)/rules.js" "$(NPM)/module.js" "$(NPM)/worker.js" "$(NPM)"/*.wasm "$(SITE)/engine"
	cd "$(SITE)" && files=$$(find . -type f ! -name sw.js | LC_ALL=C sort) && \
		version=$$(cat $$files sw.js | cksum | cut -d' ' -f1) && \
		{ echo "const VERSION = \"$$version\";"; echo "const FILES = ["; echo '  "./",'; \
		for file in $$files; do echo "  \"$$file\","; done; echo "];"; } > files.js

# wasm-module NAME,FEATURES: builds the module with these features of the target.
define wasm-module
	mkdir -p "$(NPM)"
	RUSTFLAGS="-C target-feature=$(2) -C link-arg=-zstack-size=8388608 -C link-arg=--compress-relocations" \
		$(CARGO) build --profile wasm --locked -p saavedra-wasm --target $(WASM) --target-dir target/$(1)-wasm
	cp "target/$(1)-wasm/$(WASM)/wasm/saavedra_wasm.wasm" "$(NPM)/$(1).wasm"
endef

check:
	bash .ci/run

from-zero:
	$(CARGO) build --release --locked -p saavedra -p saavedra-trainer
	sh networks/from-zero.sh

bench:
	$(CARGO) build --release --locked
	"target/release/$(BINARY)" bench
	$(CARGO) bench --locked -p saavedra-benches --bench perft_compare
	$(CARGO) bench --locked -p saavedra-benches --bench chess

# The manual page and the shell completions, in target/manual/.
manual:
	$(CARGO) run --locked --example manual target/manual

# The Debian package, in target/debian/ (`cargo install cargo-deb`).
deb: manual
	RUSTFLAGS="-C target-cpu=x86-64-v2" CARGO_TARGET_DIR=target/portable \
		$(CARGO) deb --locked --output target/debian/

# One generation of the network: `make generation GAMES=folder [FOLDER=folder]`; networks/generation.sh has the settings.
generation:
	$(CARGO) build --release --locked -p saavedra -p saavedra-trainer
	sh networks/generation.sh "$(GAMES)" $(if $(FOLDER),"$(FOLDER)")

clean:
	$(CARGO) clean
