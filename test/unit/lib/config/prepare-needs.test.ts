// The files that a line of `workspace.prepare.run` obviously needs.
import { expect, test } from "bun:test";
import { prepareNeeds } from "../../../../lib/config/prepare-needs.ts";

/** Each need as its files; in brackets what counts only where it is there. */
const needsOf = (run: string) =>
  prepareNeeds(run)
    .map(({ oneOf, isIfThere }) => (isIfThere ? `(${oneOf.join("|")})` : oneOf.join("|")))
    .join(" ");

const npmLock = "package-lock.json|npm-shrinkwrap.json";
const known: [run: string, needs: string][] = [
  ["npm ci", `package.json ${npmLock}`],
  ["npm install --omit=dev", `package.json (${npmLock})`],
  ["npm i left-pad", ""],
  ["npm install --global npm@10 && npm ci --no-audit", `package.json ${npmLock}`],
  ["cd web && CI=1 npm ci", `package.json ${npmLock}`],
  ["yarn", "package.json (yarn.lock)"],
  ["yarn install --immutable", "package.json yarn.lock"],
  ["yarn --frozen-lockfile", "package.json yarn.lock"],
  ["yarn add left-pad", ""],
  ["corepack pnpm install --frozen-lockfile", "package.json pnpm-lock.yaml"],
  ["pnpm fetch", "pnpm-lock.yaml"],
  ["bun install", "package.json (bun.lock|bun.lockb)"],
  ["bun ci", "package.json bun.lock|bun.lockb"],
  ["pip install --target .packages -r requirements.txt", "requirements.txt"],
  [
    "pip3 install -rdev/requirements.txt --constraint=limits.txt",
    "dev/requirements.txt limits.txt",
  ],
  ["python3 -m pip install -e '.[test]'", "pyproject.toml|setup.py|setup.cfg"],
  ["python -m venv .venv && .venv/bin/pip install -r ./requirements.txt", "requirements.txt"],
  ["pip install requests", ""],
  ["pip install -r https://example.org/requirements.txt", ""],
  ["uv export > all.txt && uv pip install -r all.txt", "(all.txt)"],
  ["uv sync --locked", "pyproject.toml uv.lock"],
  ["poetry install --no-root", "pyproject.toml (poetry.lock)"],
  ["GOMODCACHE=$PWD/.cache go mod download", "go.mod (go.sum)"],
  ["go build ./...", ""],
  ["cargo fetch --locked", "Cargo.toml Cargo.lock"],
  ["bundle", "Gemfile (Gemfile.lock)"],
  ["bundle install --jobs 4", "Gemfile (Gemfile.lock)"],
  ["composer install --no-dev", "composer.json (composer.lock)"],
  ["./install.sh", "(install.sh)"],
  ["sh -ec 'echo x'", ""],
  ["bash scripts/setup.sh fast", "(scripts/setup.sh)"],
  ["/usr/local/bin/install", ""],
  ["$TOOL install; sh $SCRIPT", ""],
  ["make", ""],
];

test.each(known)("`%s` needs what it is known for: %s", (run, needs) => {
  expect(needsOf(run)).toBe(needs);
});
