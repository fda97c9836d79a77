// Wrong use that only shows with containers, in a repository of root whose path has a space and a
// letter that is not ASCII.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { lockInstance } from "../../apps/cli/instance/lock.ts";
import { nameOfFolder } from "../../apps/cli/up/checks/checks.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { dockerRuntime } from "../../lib/runtime/docker/runtime.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const committer = `cat > /dev/null
echo "grün" > "neue Datei.txt" && git add -A && git commit --quiet -m "Write" >&2
printf '{"artefact_type":"CodeCommit","artefact_payload":"%s","summary":"wrote"}' "$(git rev-parse HEAD)"
`;
const yml = settYml({
  coder: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n",
});
let sett: SettWorkspace;

beforeAll(async () => {
  const files = { ...scriptAgent("coder", committer), "sett.yml": yml };
  sett = await SettWorkspace.create(files, { prefix: "sett é2e mit Raum-" });
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test("an agent's image that does not exist is named, with the agent, and nothing is left", async () => {
  await sett.write({
    "sett.yml": "version: '1.0'\nagents:\n  coder: { image: sett-test/none:1, command: [x] }\n",
  });
  const { code, out, err } = await sett.sett("up", "--name", sett.name);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("sett-test/none:1");
  expect(err).toContain("→");
  expect(await sett.leftOvers()).toEqual([]);
  expect(await readdir(join(sett.folder, ".git"))).not.toContain("sett");
  await sett.write({ "sett.yml": yml });
});

test("while a `sett up` is at work another one is refused, and so is `sett down`, whatever temporary folder they have", async () => {
  const instance = InstanceName.parse(nameOfFolder(sett.folder));
  await using _held = await lockInstance(await dockerRuntime({ env: process.env }), instance);
  for (const command of ["up", "down"]) {
    const env = { ...process.env, TMPDIR: sett.folder };
    const { exitCode, stdout, stderr } = await $`${settBinary} ${command}`
      .cwd(sett.folder)
      .env(env)
      .quiet()
      .nothrow();
    expect({ exitCode, out: stdout.toString() }).toEqual({ exitCode: 1, out: "" });
    expect(stderr.toString()).toContain(
      `Another \`sett up\`, \`down\`, \`backup\` or \`restore\` is at work on ${instance}, by `,
    );
    expect(stderr.toString()).toContain(`process ${process.pid}.`);
    expect(stderr.toString()).toContain("→");
  }
});

test("a repository of root in such a path is served, and its agent's commit arrives", async () => {
  await $`chown -R 0:0 .`.cwd(sett.folder);
  await sett.up();
  const { code, err } = await sett.sett("forage", "--watch", "--goal", "Schreib etwas Schönes");
  expect({ code, err }).toMatchObject({ code: 0 });
  const [commit] = JSON.parse(await sett.need("hoard", "--json", "--type", "CodeCommit"));
  expect(await sett.git("show", `refs/sett/${sett.name}/${commit.id}:neue Datei.txt`)).toBe("grün");
  expect((await stat(join(sett.folder, ".git/HEAD"))).uid).toBe(0);
  expect(await sett.git("status", "--porcelain")).toBe("");
});

test("watch says when its Redis is away, goes on when it is back, and ends with a sentence when the instance is gone", async () => {
  await using watch = sett.start("watch", "-o", "jsonl");
  await watch.untilOut("claim_completed");
  await sett.killRedis();
  await watch.untilErr("Redis does not answer. Waiting");
  await watch.untilErr("Redis answers again.");
  // As in the midst of `sett down`: this is no start.
  const own = `label=dev.sett.instance=${sett.name}`;
  const containers = (await $`docker ps --all --quiet --filter ${own}`.text()).trim().split("\n");
  await $`docker rm --force ${containers}`.quiet();
  await waitFor(
    "another loss",
    () => watch.err().split("Redis does not answer. Waiting").length === 3,
  );
  await sett.need("down", "--timeout", "1s");
  expect(await watch.exited).toBe(1);
  expect(watch.err()).toContain(`${sett.name} is down. Its blackboard is kept.`);
  const ids = watch
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  expect(new Set(ids).size).toBe(ids.length);
});
