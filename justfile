# Everyday commands: `node_modules/.bin/just` lists them. The two that need no preparation are `npm run demo` and `npm test`.

bin := "node_modules/.bin"

# List the recipes.
default:
    @{{ just_executable() }} --list --unsorted

# Every check that takes seconds and needs no Docker: format, lint, types, dead code, workflows of CI, unit tests.
check:
    {{ bin }}/bun .ci/test.ts lint types dead-code workflows unit

# Check the subjects of the commits that are not on main (CONTRIBUTING.md); `just commits BASE..HEAD` checks others.
commits range="origin/main..HEAD":
    {{ bin }}/bun .ci/commit-subjects.ts {{ range }}

# Check format and lint; `just lint --write` repairs what it can.
lint *options:
    {{ bin }}/biome check --error-on-warnings {{ options }} .

# Write the generated parts of docs/ again: commands, sett.yml and its schema, keys, events, settings, metrics.
docs:
    {{ bin }}/bun .ci/docs.ts

# Bring the coding CLIs of agents/ to their newest versions: lock files, and the page about them.
update-clis *names:
    {{ bin }}/bun .ci/update-clis.ts {{ names }}

# What CI runs: every check and every test, in real containers too.
test:
    npm test

# List the tests of a source: `just tests-of lib/async/back-off.ts`.
tests-of source:
    {{ bin }}/bun .ci/tests-of.ts {{ source }}

# Build `sett` for this machine, at ./bin/sett, and where a Docker Engine answers the images that it needs: then `./bin/sett up` works.
build:
    {{ bin }}/bun .ci/build.ts --host
    if docker version >/dev/null 2>&1; then node .ci/setup.mjs && {{ bin }}/bun .ci/images.ts; else echo 'No Docker Engine answers: no images were built. `./bin/sett up --runtime process` needs none.'; fi

# Bundle the page that `sett ui` and the API serve, into bin/page.
page:
    {{ bin }}/bun .ci/page.ts

# Build the services and their images, for amd64 and arm64.
docker-build-all: prepare
    {{ bin }}/bun .ci/build.ts --all
    {{ bin }}/bun .ci/images.ts --arch all

# Build the images of the services, for this machine: the orchestrator, the gateway, the API, and Redis.
docker-orchestrator: prepare
    {{ bin }}/bun .ci/images.ts orchestrator gateway api redis

# Build the cub's images, for this machine: the carrier that makes any image an agent, and the base for new agents.
docker-cub: prepare
    {{ bin }}/bun .ci/images.ts cub agent-base

# Build the release: the program with its images inside, as files and as npm packages in bin/release. `just package --quick` builds it for this machine alone.
package *options="--all": prepare
    {{ bin }}/bun .ci/package.ts {{ options }}

# Run the demo: six agents release a repository. `just demo --repo PATH`, `just demo --keep`, `just demo --llm`.
demo *options:
    npm run demo -- {{ options }}

# Record the calls of `just demo --llm` anew, when the prompts of `sett init --llm` or the tools of the built-in worker have changed.
record-demo *options: prepare
    {{ bin }}/bun .ci/record-demo.ts {{ options }}

# Record the calls of agents/eval-demo anew, when its prompts or goals, or the tools of the built-in worker have changed.
record-eval: prepare
    {{ bin }}/bun .ci/record-eval.ts

# Measure which share of the lines the tests run; `npm test` includes this and requires 85 %.
coverage: prepare
    {{ bin }}/bun .ci/test.ts binaries images unit integration command-line simulation suites coverage

# Run the benchmarks; the figures are valid for the machine that runs them.
bench *options:
    {{ if options =~ "--only" { "" } else { just_executable() + " build docker-orchestrator docker-cub" } }}
    {{ bin }}/bun run test/bench/bench.ts {{ options }}

# Kill, freeze and fill the services of a working instance at random, and check the history: `just chaos --runs 20`, `just chaos --seed 7`.
chaos *options:
    {{ bin }}/bun run test/chaos/chaos.ts {{ options }}

# All of `npm test`, with the tests marked `nightly`, 20 runs of chaos, 60 000 schedules, each planted mistake, and each request of a `sett up` failing in each way: a few hours.
nightly *steps:
    node .ci/setup.mjs --tests
    {{ bin }}/bun .ci/test.ts --nightly {{ steps }}

# Play the programs that ship in virtual time, with faults, and check the history: `just simulate --schedules 20000 --jobs 2`, `just simulate --seed 7 --trace`.
simulate *options:
    {{ bin }}/bun run test/simulation/simulate.ts {{ options }}

# Record the picture of a terminal session in the README, with Redis and git from the PATH.
picture: build
    {{ bin }}/bun .ci/picture.ts

# Remove the built files. Images and running instances stay.
clean:
    rm -rf bin coverage

[private]
prepare:
    node .ci/setup.mjs
