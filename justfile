# Everyday commands: `node_modules/.bin/just` lists them. The two that need no preparation are `npm run demo` and `npm test`.

bin := "node_modules/.bin"

# List the recipes.
default:
    @{{ just_executable() }} --list --unsorted

# All that can be checked in seconds and without Docker: format, lint, types, dead code, workflows of CI, unit tests.
check:
    {{ bin }}/bun .ci/test.ts lint types dead-code workflows unit

# Do the subjects of new commits keep the rule of CONTRIBUTING.md? `just commits BASE..HEAD` for others than those that are not on main.
commits range="origin/main..HEAD":
    {{ bin }}/bun .ci/commit-subjects.ts {{ range }}

# Format and lint; `just lint --write` mends what it can.
lint *options:
    {{ bin }}/biome check --error-on-warnings {{ options }} .

# Write what is generated in docs/ anew: commands, sett.yml and its schema, keys, events, settings, metrics.
docs:
    {{ bin }}/bun .ci/docs.ts

# What CI runs: every check and every test, in real containers too.
test:
    npm test

# The host's `sett`, at ./bin/sett.
build:
    {{ bin }}/bun .ci/build.ts --host

# The services and the images that hold them, for amd64 and arm64.
docker-build-all: prepare
    {{ bin }}/bun .ci/build.ts --all
    {{ bin }}/bun .ci/images.ts --arch all

# The orchestrator's image and Redis's, for this machine.
docker-orchestrator: prepare
    {{ bin }}/bun .ci/images.ts orchestrator redis

# The cub's images, for this machine: the carrier that makes any image an agent, and the base for new ones.
docker-cub: prepare
    {{ bin }}/bun .ci/images.ts cub agent-base

# What is handed out: the one program, with its images inside, as files and as npm packages in bin/release. `just package --quick` tries it for this machine.
package *options="--all": prepare
    {{ bin }}/bun .ci/package.ts {{ options }}

# A clan of tools releases a repository: `just demo --repo PATH`, `just demo --keep`.
demo *options:
    npm run demo -- {{ options }}

# Which share of the lines do the tests run? A part of `npm test`, which wants 85 %.
coverage: prepare
    {{ bin }}/bun .ci/test.ts binaries emulated images unit integration lines-of-cli coverage

# Measure; figures are for the machine that runs it.
bench *options: build docker-orchestrator docker-cub
    {{ bin }}/bun run test/bench/bench.ts {{ options }}

# Kill, freeze, fill and confuse a working clan at random and check the history it leaves: `just chaos --runs 20`, `just chaos --seed 7`.
chaos *options:
    {{ bin }}/bun run test/chaos/chaos.ts {{ options }}

# Record the picture of a terminal session in the README, with Redis and git from the PATH.
picture: build
    {{ bin }}/bun .ci/picture.ts

# Remove what was built here. Images and running instances stay.
clean:
    rm -rf bin coverage

[private]
prepare:
    node .ci/setup.mjs
