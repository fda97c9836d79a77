// The instance of a team, beside the bare repository to which they push: sett.yml and the agents'
// files are those of a commit, and results become branches.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { type Finished, finished, needed } from "../support/cli/finished.ts";
import { nightly } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

const settings = (colour: string) => `version: '1.0'
agents:
  painter:
    build: { context: ./agents/painter }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: rw }
    environment: { COLOUR: ${colour} }
`;
const painter = `#!/bin/sh
set -e
cat > /dev/null
echo "$COLOUR" > door
git add door && git commit --quiet --message "Paint the door" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Painted"}'
`;

/** `clone` is where the team works; `bare` is where they push, and where its instance is. */
let clone: ProcessSett;
let bare: string;

beforeAll(async () => {
  clone = await ProcessSett.create(settings("red"), {
    "agents/painter/run.sh": painter,
    "agents/painter/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
  });
  bare = join(clone.root, "team.git");
  await $`git clone --quiet --bare ${clone.folder} ${bare}`;
  await clone.git("remote", "add", "origin", bare);
  await clone.git("push", "--quiet", "origin", "main:blue");
}, 300_000);
afterAll(async () => {
  await atBare("down", "--name", clone.name, "--volumes", "--force", "--timeout", "1s");
  await clone[Symbol.asyncDispose]();
}, 300_000);

async function atBare(...words: string[]): Promise<Finished> {
  return finished(
    Bun.spawn([settBinary, ...words], {
      ...{ cwd: bare, env: clone.environment },
      ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    }),
  );
}
const need = async (...words: string[]) => needed(words, await atBare(...words));
const upArgs = () => ["up", "--runtime", "process", "--name", clone.name];
/** Returns what it said. */
async function up(...words: string[]): Promise<string> {
  const done = await atBare(...upArgs(), ...words);
  needed(["up"], done);
  return done.err;
}

test("it starts with the sett.yml of HEAD, works, and results become branches", async () => {
  const said = await up();
  const head = (await clone.git("rev-parse", "HEAD")).slice(0, 8);
  expect(said).toContain(`The configuration is HEAD:sett.yml, of ${head}.`);
  const watched = await atBare("forage", "--watch", "--goal", "Paint the door");
  expect(watched.err).toMatch(new RegExp(`git branch NAME refs/sett/${clone.name}/`));
  const [ref = ""] = /refs\/sett\/\S+/.exec(watched.err) ?? [];
  await $`git branch result ${ref}`.cwd(bare);
  await clone.git("fetch", "--quiet", "origin", "result");
  expect(await clone.git("show", "FETCH_HEAD:door")).toBe("red");
  const id = ref.slice(ref.lastIndexOf("/") + 1);
  expect(await need("unearth", id)).toContain("door");
  expect(await need("status")).toContain("painter");
}, 300_000);

nightly(
  "a push and another `up` bring the new sett.yml; a commit can be named",
  async () => {
    await clone.write(settings("green"));
    await clone.git("push", "--quiet", "origin", "main");
    const before = clone.processOf("agent-painter");
    await up();
    expect(clone.processOf("agent-painter")).not.toEqual(before);
    const commits = (await readdir(join(bare, "sett/files"))).filter((name) => !name.includes("."));
    expect(commits).toEqual([await clone.git("rev-parse", "main")]);

    expect(await up("--file", "blue:sett.yml")).toContain("The configuration is blue:sett.yml, of");
    await need("forage", "--watch", "--goal", "Paint it as before");
    expect(await $`git for-each-ref --format=${"%(refname)"} refs/heads`.cwd(bare).text()).toBe(
      "refs/heads/blue\nrefs/heads/main\nrefs/heads/result\n",
    );
  },
  300_000,
);

nightly("what a bare repository cannot do says so", async () => {
  const missing = await atBare(...upArgs(), "--file", "blue:ops/sett.yml");
  expect(missing.err).toMatch(/Commit \w{8} \(blue\) has no ops\/sett\.yml\./);
  const unknown = await atBare(...upArgs(), "--file", "green:sett.yml");
  expect(unknown.err).toContain("This repository has no commit `green`.");
  expect(await need("validate", "--file", "blue:sett.yml")).toStartWith("blue:sett.yml is valid");
  const init = await atBare("init");
  expect(init.err).toContain("is a bare repository, which has no files to write.");
  expect(init.code).not.toBe(0);
});

nightly("`down --volumes` leaves nothing of it in the repository", async () => {
  await need("down", "--name", clone.name, "--volumes", "--force", "--timeout", "1s");
  expect(await readdir(bare)).not.toContain("sett");
  expect(await $`git for-each-ref refs/sett`.cwd(bare).text()).toBe("");
});
