# Start make from the root of the repository: cargo reads .cargo/config.toml from where it starts.

CARGO ?= cargo
CASES ?= 20000
FUZZ_SECONDS ?= 60
VERIFY_SECONDS ?= 600

.DEFAULT_GOAL := help
.PHONY: help run test test-long test-all test-clocks test-postgres-latest fmt lint soak screenshots fuzz verify bench bench-peers chaos audit package package-test

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build a release and serve demo data on port 8080
	$(CARGO) run --release --locked -p patrol -- serve --demo

test: ## is the program right? both stores, and the whole over SQLite: 13 minutes the first time on two cores
	CARGO=$(CARGO) tests/run.sh short

test-long: ## lints, licences, S3 and traces, the commands of the book, the site in a browser, proxies, the API document, the whole over PostgreSQL, outages: 25 minutes
	CARGO=$(CARGO) tests/run.sh long

test-all: test test-long ## both; what CI runs

test-clocks: ## the whole program over SQLite at midnight, on leap days, when clocks change, in other time zones (40 minutes)
	CARGO=$(CARGO) tests/run.sh clocks

test-postgres-latest: ## the tests of PostgreSQL and of the whole API over PostgreSQL 18, which npm installs (6 minutes)
	$(CARGO) build --locked -p patrol -p patrol-test-servers
	PATROL_TEST_POSTGRES_VERSION=18 $(CARGO) test --locked -p patrol-postgres
	PATROL_TEST_POSTGRES_VERSION=18 PATROL_TEST_STORE=postgres $(CARGO) test --locked -p patrol-tests --test api --test postgres

fmt: ## format the code
	$(CARGO) fmt --all

lint: ## clippy with the workspace's lints as errors
	CARGO=$(CARGO) tests/run.sh lint

screenshots: ## pictures of every page of the site, in target/pictures; those that the book shows are taken over into docs/pictures
	$(CARGO) build --locked -p patrol
	mkdir -p target/pictures
	PATROL_SCREENSHOTS=$(CURDIR)/target/pictures $(CARGO) test --locked -p patrol-tests --test browser -- screenshots company::
	cd docs/pictures && for picture in *.jpg; do cp "../../target/pictures/$$picture" .; done

soak: ## the tests of concurrency and durability for a minute each
	$(CARGO) build --locked -p patrol
	PATROL_TEST_SECONDS=60 $(CARGO) test --locked -p patrol-tests --test api -- concurrency durability leftovers

# cargo-fuzz needs options that only nightly toolchains have; RUSTC_BOOTSTRAP=1 allows them on stable ones too.
fuzz: ## all fuzz targets for FUZZ_SECONDS=60 each, the property tests, and the API document for VERIFY_SECONDS=600
	@$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install --locked cargo-fuzz
	targets=$$($(CARGO) fuzz list --fuzz-dir tests/fuzz) || exit 1; cd tests/fuzz; for target in $$targets; do \
		mkdir -p corpus/$$target; \
		RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run --fuzz-dir . $$target corpus/$$target $$(ls -d seeds/$$target 2>/dev/null) \
			-- -max_total_time=$(FUZZ_SECONDS) || exit 1; done
	PROPTEST_CASES=$(CASES) $(CARGO) test --workspace --locked --exclude patrol-tests
	$(CARGO) build --locked -p patrol
	PATROL_VERIFY_SECONDS=$(VERIFY_SECONDS) $(CARGO) test --locked -p patrol-tests --test verification -- document

verify: ## the program against its API document: schemathesis over both stores, generated clients in Python and Rust
	$(CARGO) build --locked -p patrol -p patrol-test-servers
	$(CARGO) test --locked -p patrol-tests --test verification --test rust_client

bench: ## measure both stores with 1,000,000 executions (half an hour), target/bench/report.md; then the guard's page in Chromium
	$(CARGO) build --profile dist --locked -p patrol
	$(CARGO) bench --profile dist --locked -p patrol-tests --bench performance
	PATROL_GUARD_TIMES=1 $(CARGO) test --profile dist --locked -p patrol-tests --test browser -- --nocapture guard::times

bench-peers: ## the same data and requests by TrailBase, PocketBase, Directus, Fastify and FastAPI; the report is target/bench/peers.md
	$(CARGO) build --profile dist --locked -p patrol
	$(CARGO) bench --profile dist --locked -p patrol-tests --bench peers

chaos: ## kill nodes, databases and connections under load; the report is target/chaos/report.md
	$(CARGO) build --release --locked -p patrol
	$(CARGO) bench --profile release --locked -p patrol-tests --bench chaos

audit: ## known vulnerabilities, licences and sources of the dependencies; unused dependencies
	tests/audit.sh

package: ## the Debian package with its SBOM, and the image; all is in target/package
	CARGO=$(CARGO) crates/server/package/build.sh deb
	crates/server/package/build.sh image

package-test: ## install, upgrade and remove the package, run the image, check the manifests; after `make package`, as root
	tests/package/debian.sh
	tests/package/image.sh
	tests/package/manifests.sh
