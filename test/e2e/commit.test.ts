// A goal becomes a verified commit: an agent changes a real repository, and the result is usable
// with plain git on the host.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { createPublicKey } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Story } from "../../lib/core/story.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { isSignedBy, readAttestation } from "../../lib/proof/attestation.ts";
import { finished } from "../support/cli/finished.ts";
import { settBinary } from "../support/process/compiled.ts";
import { agentName } from "../support/records/sample.ts";
import { root } from "../support/root.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

const changelogAgent = join(root, "agents/changelog");
let sett: SettWorkspace;
let released: string;
let stated: string;
let result: Artefact;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "reader",
      `cd /workspace && jq -n --arg text "$(cat CHANGELOG.md)" '{artefact_type: "Read", artefact_payload: $text, summary: "read"}'`,
    ),
    "sett.yml": settYml(
      {
        changelog: `    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n`,
        reader: `    bids:\n      - { on: CodeCommit, bid: exclusive }\n`,
      },
      "proof: on\n",
    ),
  });
  await $`cp -r ${changelogAgent} agents/changelog`.cwd(sett.folder);
  released = await sett.commit("Add a sett");
  await sett.git("tag", "v1.0.0");
  await sett.write({ "door.txt": "wide\n" });
  await sett.commit("Make the door wider");
  await sett.write({ "door.txt": "wide and green\n" });
  stated = await sett.commit("Paint the door");
  await sett.up();
  const goal = await sett.forage("Release 1.1.0");
  await sett.need("forage", "--watch", "--goal", "Release 1.1.0");
  const commit = (await sett.artefacts(goal)).find((artefact) => artefact.type === "CodeCommit");
  if (commit === undefined)
    throw new Error(`no CodeCommit: ${JSON.stringify(await sett.artefacts(goal))}`);
  result = commit;
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test("the artefact's payload is the commit, pinned in the host's repository under the artefact's id", async () => {
  expect(result.metadata.commit).toBe(result.payload as typeof result.metadata.commit);
  expect(await sett.git("rev-parse", `refs/sett/${sett.name}/${result.id}`)).toBe(result.payload);
});

test("the commit is based on the one that the goal was posted on", async () => {
  expect(await sett.git("rev-parse", `${result.payload}^`)).toBe(stated);
  expect(await sett.git("rev-parse", "HEAD")).toBe(stated);
});

test("the changelog lists the commits since the last tag and no others", async () => {
  const text = await sett.git("show", `${result.payload}:CHANGELOG.md`);
  expect(text).toContain("1.1.0");
  expect(text).toContain("Paint the door");
  expect(text).toContain("Make the door wider");
  expect(text).not.toContain("Add a sett");
  expect(released).not.toBe(stated);
});

test("the next agent works on the commit of the one before it", async () => {
  const read = (await sett.artefacts(result.goal_id)).find((artefact) => artefact.type === "Read");
  expect(read?.payload).toContain("Paint the door");
});

test("sett rerun has the same result again, and sett shell begins where the grant began", async () => {
  const before = await sett.artefacts(result.goal_id);
  const read = before.find((artefact) => artefact.type === "Read");
  const again = JSON.parse(await sett.need("rerun", read?.id ?? "", "--json"));
  expect(again).toMatchObject({ same: true, artefact_id: read?.id, differences: [] });
  const stdin = new Blob(["git rev-parse HEAD; /app/run.sh < /tmp/input.json | jq -r .summary"]);
  const shell = Bun.spawn([settBinary, "shell", read?.id ?? ""], {
    ...{ cwd: sett.folder, stdin, stdout: "pipe", stderr: "pipe" },
  });
  expect(await finished(shell)).toMatchObject({ code: 0, out: `${result.payload}\nread\n` });
  expect(await sett.artefacts(result.goal_id)).toEqual(before);
  const looks = (await sett.events(result.goal_id)).filter(({ type }) => type === "grant_examined");
  expect(looks.map(({ agent, data }) => [agent, data])).toEqual([
    [agentName("reader"), { attempt: 1, how: "rerun", same: true }],
    [agentName("reader"), { attempt: 1, how: "shell" }],
  ]);
});

test("a bundle shows all about the goal to a stranger, and what was changed in it is named", async () => {
  const key = (await sett.need("audit", "key")).trim();
  await sett.need("audit", "export", result.goal_id, "--to", ".git/bundle.tar");
  const bundle = join(sett.folder, ".git/bundle.tar");
  const shown = await sett.need("audit", "verify", bundle, "--key", key);
  expect(shown).toContain(`Shown: goal ${result.goal_id}, which is closed`);
  // The repository has seen it meanwhile.
  const compared = await sett.need("audit", "verify", bundle, "--key", key, "--repository", ".");
  expect(compared).toMatch(/ {2}time {7}git had the first \d+ entries of the log at /);
  const text = await readFile(bundle, "latin1");
  expect(text).toContain("agent:changelog");
  await writeFile(bundle, text.replace("agent:changelog", "agent:changelot"), "latin1");
  const { code, out } = await sett.sett("audit", "verify", bundle, "--key", key);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("record records.jsonl:") });
});

test("sett why tells of the commit from which base and image it came, and where it is sealed", async () => {
  const bundle = join(sett.folder, ".git/why.tar");
  // It waits until all is sealed.
  await sett.need("audit", "export", result.goal_id, "--to", bundle);
  const live: Story = JSON.parse(await sett.need("why", result.payload, "--json"));
  const again = await sett.need("why", result.id, "--archive", bundle, "--json");
  const { sealed, ...story }: Story = JSON.parse(again);
  // Events that are sealed meanwhile move the checkpoint, and no entry.
  expect([sealed?.entry, sealed?.origin]).toEqual([live.sealed?.entry, live.sealed?.origin]);
  expect(sealed?.origin).toStartWith(`${sett.name}.sett.invalid/`);
  expect({ ...story, sealed: live.sealed }).toEqual(live);
  expect(live.grant?.image).toStartWith("sha256:");
  expect(live).toMatchObject({
    artefact: { id: result.id, commit: result.payload, by: "agent:changelog" },
    goal: { text: "Release 1.1.0" },
    grant: { agent: "changelog", base_commit: stated },
  });
});

test("each commit has its provenance for tools of others, in a bundle and beside it in git", async () => {
  const attestation = await sett.need("audit", "attest", result.payload);
  const said = readAttestation(Buffer.from(attestation));
  const pem = await sett.need("audit", "key", "--pem");
  expect(said && isSignedBy(said, createPublicKey(pem))).toBe(true);
  const tree = await sett.git("rev-parse", `${result.payload}^{tree}`);
  expect(JSON.parse(said?.statement ?? "")).toMatchObject({
    subject: [
      { name: "commit", digest: { gitCommit: result.payload } },
      { name: "tree", digest: { gitTree: tree } },
    ],
    predicate: {
      buildDefinition: {
        externalParameters: { goal: result.goal_id, agent: "changelog", attempt: "1" },
        resolvedDependencies: [
          { name: "base", digest: { gitCommit: stated } },
          { name: "image" },
          { name: "input", uri: `urn:uuid:${result.goal_id}` },
          { name: "stdin" },
        ],
      },
    },
  });
  expect(await sett.need("audit", "attest", result.goal_id, "--notes")).toBe(`${result.payload}\n`);
  const note = await sett.git("notes", `--ref=sett/${sett.name}`, "show", result.payload);
  expect(`${note}\n`).toBe(attestation);
  const bundle = join(sett.folder, ".git/attested.tar");
  await sett.need("audit", "export", result.goal_id, "--to", bundle);
  const key = (await sett.need("audit", "key")).trim();
  const shown = await sett.need("audit", "verify", bundle, "--key", key);
  expect(shown).toContain("  commits    1 commit is attested, by what the log says of the work\n");
  const posted = await sett.need("post", "Idea", "--commit", stated, "--from", result.goal_id);
  const byPerson = await sett.sett("audit", "attest", posted.trim());
  expect(byPerson).toMatchObject({ code: 1, out: "" });
  expect(byPerson.err).toContain("No agent has made a commit");
});

test("a bundle of all is shown, too", async () => {
  await sett.need("audit", "export", "--all", "--to", ".git/all.tar");
  const key = (await sett.need("audit", "key")).trim();
  const bundle = join(sett.folder, ".git/all.tar");
  expect(await sett.need("audit", "verify", bundle, "--key", key)).toContain("Shown: all ");
});

test("plain git merges it, and garbage collection keeps what is not merged", async () => {
  await sett.git("gc", "--quiet", "--prune=now");
  expect(await sett.git("log", "-1", "--format=%an", `refs/sett/${sett.name}/${result.id}`)).toBe(
    "changelog",
  );
  await sett.git("merge", "--quiet", `refs/sett/${sett.name}/${result.id}`);
  expect(await sett.git("rev-parse", "HEAD")).toBe(result.payload);
});

test("a dirty tree is refused with every file, strange names too, and nothing is posted", async () => {
  await sett.write({ "neu é.txt": "", "README.md": "changed\n" });
  const before = await sett.need("hoard", "--json");
  const { code, out, err } = await sett.sett("forage", "--goal", "x");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("?? neu é.txt");
  expect(err).toContain(" M README.md");
  expect(await sett.need("hoard", "--json")).toBe(before);
  await $`git checkout --quiet README.md && rm ${"neu é.txt"}`.cwd(sett.folder);
});

test("a goal that was moved into an archive is shown to a stranger as before", async () => {
  const archive = ".git/archive.jsonl";
  await sett.need("prune", "--before", new Date().toISOString(), "--to", archive);
  const alone = await sett.sett("audit", "export", result.goal_id, "--to", ".git/alone.tar");
  expect(alone).toMatchObject({ code: 1, err: expect.stringContaining("--archive FILE") });
  const lacking = await sett.sett("audit", "export", "--all", "--to", ".git/lacking.tar");
  expect(lacking).toMatchObject({ code: 0, err: expect.stringContaining("--archive FILE") });
  const key = (await sett.need("audit", "key")).trim();
  for (const [what, shown] of [
    [result.goal_id, `Shown: goal ${result.goal_id}, which is closed`],
    ["--all", "Shown: all "],
  ] as const) {
    const bundle = join(sett.folder, `.git/moved-${what}.tar`);
    await sett.need("audit", "export", what, "--archive", archive, "--to", bundle);
    expect(await sett.need("audit", "verify", bundle, "--key", key)).toContain(shown);
  }
});

test("a goal that is moved as soon as it rests was sealed to its end before", async () => {
  const goal = await sett.forage("Release 1.2.0");
  await sett.need("forage", "--watch", "--id", goal, "--goal", "Release 1.2.0");
  const [archive, bundle] = [".git/at-once.jsonl", join(sett.folder, ".git/at-once.tar")];
  const { err } = await sett.sett("prune", "--before", "0s", "--to", archive);
  expect(err).toContain("Moved 1 goal");
  await sett.need("audit", "export", goal, "--archive", archive, "--to", bundle);
  const key = (await sett.need("audit", "key")).trim();
  expect(await sett.need("audit", "verify", bundle, "--key", key)).toContain(
    `Shown: goal ${goal}, which is closed`,
  );
});
