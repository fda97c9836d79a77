// Moves an instance, without Docker, to another machine and back: the same record, results and
// work, and nothing half-made.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { nightly } from "../support/nightly.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const painter = `#!/bin/sh
set -e
jq -r .target_artefact.payload > goal
git add goal
echo painting >&2
git -c user.name=Bot -c user.email=bot@example.invalid commit --quiet --message Paint >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Painted"}'
`;
const settings = `version: '1.0'
proof: on
agents:
  painter:
    image: none:1
    command: ["./paint.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: rw }
`;

/** The machine on which it begins, and one with a clone of the repository. */
let here: ProcessSett;
let there: ProcessSett;
const file = (name: string) => join(here.root, name);
const up = (at: ProcessSett) => at.need("up", "--runtime", "process", "--name", here.name);
const restore = (at: ProcessSett, ...words: string[]) =>
  at.sett("restore", "--runtime", "process", ...words);
const hoard = async (at: ProcessSett) => JSON.parse(await at.need("hoard", "--json"));

beforeAll(async () => {
  here = await ProcessSett.create(settings, { "paint.sh": painter });
  there = await ProcessSett.create(settings);
  await rm(there.folder, { recursive: true });
  await $`git clone --quiet ${here.folder} ${there.folder}`;
  await up(here);
});

afterAll(async () => {
  await there.sett("down", "--name", here.name, "--volumes", "--force", "--timeout", "1s");
  await there[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
});

test("an instance at work goes into one file, which only its owner can read, and which is never overwritten", async () => {
  await here.need("forage", "--goal", "first", "--watch");
  const made = (await hoard(here)).find(({ type }: { type: string }) => type === "CodeCommit");
  // What its command has printed is sent beside the result.
  expect(await here.need("unearth", made.id, "--streams")).toContain("painting");
  await here.need("pause");
  // The clone does not have the commit from which it starts.
  await $`git -c user.name=Ada -c user.email=ada@sett.invalid commit --quiet --allow-empty -m Later`.cwd(
    here.folder,
  );
  await here.need("forage", "--goal", "later");
  const { code, err } = await here.sett("backup", file("work.sett"));
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`✔ ${here.name} is in `) });
  expect((await stat(file("work.sett"))).mode & 0o777).toBe(0o600);
  const names = (await $`tar -tf ${file("work.sett")}`.text()).trim().split("\n");
  // Those of goals depend on how far the notary is.
  expect(names.filter((name) => !/^proof\/goals\/[0-9a-f]{2}\//.test(name))).toEqual([
    "manifest.json",
    "blackboard/appendonly.aof.2.base.rdb",
    "blackboard/appendonly.aof.manifest",
    "results.bundle",
    expect.stringMatching(/^record\/outputs\/[0-9a-f-]{36}\/[0-9a-f]{64}\.gz$/),
    "proof/attestation-key",
    "proof/checkpoint",
    "proof/entries/000",
    "proof/goals/none/-",
    "proof/key",
    "proof/records/000",
    "seal.json",
  ]);
  const again = await here.sett("backup", file("work.sett"));
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("does not overwrite it")]);
});

test("elsewhere it has the same record and results, and goes on with what was open", async () => {
  const { code, err } = await restore(there, file("work.sett"));
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(`sett up --name ${here.name}`),
  });
  await up(there);
  const before = await hoard(here);
  expect(await hoard(there)).toEqual(before);
  const refs = (at: ProcessSett) =>
    at.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/sett");
  expect(await refs(there)).toBe(await refs(here));
  const printed = before.find(({ type }: { type: string }) => type === "CodeCommit").id;
  expect(await there.need("unearth", printed, "--streams")).toContain("painting");
  const key = (await here.need("audit", "key")).trim();
  await there.need("audit", "export", "--all", "--to", "sealed.tar");
  const shown = await there.need("audit", "verify", "sealed.tar", "--key", key);
  expect(shown).toContain("nothing was changed, left out or put in between");
  expect(await there.need("audit", "key", "--pem")).toBe(await here.need("audit", "key", "--pem"));
  await rm(join(there.folder, "sealed.tar"));
  await there.need("resume");
  const painted = await waitFor("the open goal to be painted", async () => {
    const all: { type: string; payload: string }[] = await hoard(there);
    return all.filter(({ type }) => type === "CodeCommit")[1];
  });
  expect(await there.git("log", "--format=%s", painted.payload)).toBe("Paint\nLater\nBegin");
  await there.need("forage", "--goal", "new", "--watch");
});

nightly(
  "nothing takes the place of an instance that is up, or kept, unless a person says so",
  async () => {
    const running = await restore(here, file("work.sett"), "--replace");
    expect([running.code, running.err]).toEqual([
      1,
      expect.stringContaining("is up, or is being started"),
    ]);
    await here.need("down");
    const kept = await restore(here, file("work.sett"));
    expect([kept.code, kept.err]).toEqual([1, expect.stringContaining("has a blackboard already")]);
    expect(kept.err).toContain("--replace");
  },
);

nightly(
  "a file that was cut, changed or lengthened, and one of others, changes nothing",
  async () => {
    const whole = await readFile(file("work.sett"));
    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] ?? 0) ^ 1;
    const cut = whole.subarray(0, whole.length >> 1);
    const longer = Buffer.concat([whole, Buffer.alloc(512)]);
    const volumes = join(here.state, "volumes");
    const files = async () => (await readdir(volumes, { recursive: true })).sort();
    const found = await files();
    for (const [bytes, sentence] of [
      [cut, "is not as it was written"],
      [changed, "is not as it was written"],
      [longer, "is not as it was written"],
      [await readFile("/bin/sh"), "is no back-up of a sett"],
    ] as const) {
      await writeFile(file("bad.sett"), bytes);
      const { code, err } = await restore(here, file("bad.sett"), "--replace");
      expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    }
    expect(await files()).toEqual(found);
  },
);

nightly(
  "an instance that is down goes into a file as well, and comes back over its own blackboard",
  async () => {
    await there.need("down");
    await there.need("backup", file("down.sett"));
    const { code, err } = await restore(here, file("down.sett"), "--replace");
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
    await up(here);
    expect((await hoard(here)).map(({ payload }: { payload: string }) => payload)).toContain("new");
    expect(await here.need("forage", "--goal", "newest", "--watch")).not.toBe("");
  },
);

nightly("whatever is under way, each result in a back-up has its commit there", async () => {
  for (let round = 0; round < 5; round++) {
    const path = file(`busy-${round}.sett`);
    const goals = ["a", "b", "c", "d", "e"].map((goal) => here.need("forage", "--goal", goal));
    await waitFor("some of them to be painted", async () => {
      const open = JSON.parse(await here.need("status", "--json")).goals;
      return open.some(({ state }: { state: string }) => state === "running");
    });
    await here.need("backup", path);
    await Promise.all(goals);
    await there.sett("down", "--name", here.name, "--volumes", "--force", "--timeout", "1s");
    // A clone of its own: what another restore has brought helps nothing.
    await rm(there.folder, { recursive: true });
    await $`git clone --quiet ${here.folder} ${there.folder}`;
    expect((await restore(there, path)).code).toBe(0);
    const refs = await there.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/sett");
    await up(there);
    const before: string[] = refs.split("\n");
    const events = (await there.need("watch", "--no-follow", "-o", "jsonl")).trim().split("\n");
    const started = events.findLastIndex((line) => line.includes('"instance_started"'));
    const recorded = events
      .slice(0, started)
      .map((line) => JSON.parse(line))
      .filter(({ type, data }) => type === "artefact_created" && data?.type === "CodeCommit");
    expect(recorded.length).toBeGreaterThan(0);
    for (const { artefact_id } of recorded) expect(before).toContain(artefact_id);
  }
});
