// A volume was removed while the instance was down, as `docker system prune --volumes` does: `sett
// up` says what is gone with it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Finding } from "../../apps/cli/facts/finding.ts";
import { startProvider } from "../support/models/provider-container.ts";
import { root } from "../support/root.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const key = "sk-of-lost-volumes";
const committing = `#!/bin/sh
cat > /dev/null; echo working >&2
echo done > done.txt && git add done.txt && git commit --quiet --message "Add what was asked for" >&2
jq -n --arg hash "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $hash, summary: ""}'
`;
const settings = `version: '1.0'
models:
  local: { provider: openai, base_url: "http://provider:4010/v1", model: test-model, key: "\${PROVIDER_KEY}", price: { input: 1, output: 2 } }
agents:
  asker:
    build: { context: ./agents/asker }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    model: local
  writer:
    build: { context: ./agents/writer }
    command: ["/app/run.sh"]
    bids: [{ on: Said, bid: exclusive }]
    workspace: { mode: rw }
`;

let sett: SettWorkspace;
const up = () => sett.sett("up", "--name", sett.name);
const listed = async (): Promise<{
  lost_blackboard: { since: string; known: { id: string }[] } | null;
}> =>
  JSON.parse(await sett.need("list", "--json")).find(
    ({ name }: { name: string }) => name === sett.name,
  );
const calls = async (): Promise<Finding | undefined> =>
  JSON.parse((await sett.sett("doctor", "--json")).out).findings.find(
    ({ check }: Finding) => check === "calls",
  );

beforeAll(async () => {
  const asker = await readFile(join(root, "test/support/models/asker.ts"), "utf8");
  sett = await SettWorkspace.create({
    "sett.yml": settings,
    "agents/asker/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh asker.ts /app/\n",
    // Another agent works on what it has said.
    "agents/asker/run.sh": `#!/bin/sh
BUN_BE_BUN=1 /cub/cub run /app/asker.ts | jq 'del(.structural_type)'
`,
    "agents/asker/asker.ts": asker,
    "agents/writer/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
    "agents/writer/run.sh": committing,
  });
  sett.env = { PROVIDER_KEY: key };
});

afterAll(async () => await sett?.[Symbol.asyncDispose]());

test("up, list and doctor name what git and the blackboard know of a volume that is gone, until it is back", async () => {
  const first = await up();
  expect(first.code).toBe(0);
  expect(first.err).not.toContain("is new, and empty");
  const provider = await startProvider(`sett-${sett.name}`, [key]);
  let goal: string;
  try {
    goal = await sett.forage("hello");
    const isThere = async () =>
      (await sett.artefacts(goal)).some(({ type }) => type === "CodeCommit");
    const happened = async () =>
      JSON.stringify((await sett.artefacts(goal)).map(({ type, payload }) => [type, payload]));
    await waitFor("a commit", isThere, { everyMs: 300, happened });
  } finally {
    await provider[Symbol.asyncDispose]();
  }
  expect(await calls()).toMatchObject({ level: "ok" });

  await sett.need("down", "--timeout", "1s");
  await $`docker volume rm sett-${sett.name}-record`.quiet();
  const withoutRecord = await up();
  expect(withoutRecord.code).toBe(0);
  expect(withoutRecord.err).toContain(`The record of calls of ${sett.name} is new, and empty`);
  expect(withoutRecord.err).toContain(`What commands of ${sett.name} have printed before is gone`);
  expect(withoutRecord.err).not.toContain("The blackboard of");
  expect(withoutRecord.err).toContain("docs/operations.md#restore");
  expect(await calls()).toMatchObject({
    level: "problem",
    found: expect.stringMatching(/^\d+ of the newest \d+ bodies are gone$/),
  });

  await sett.need("down", "--timeout", "1s");
  const volume = `sett-${sett.name}-blackboard`;
  const inVolume = [
    "run",
    "--rm",
    "--interactive",
    "--user=root",
    `--volume=${volume}:/data`,
    "--entrypoint=sh",
    "sett/agent-base:latest",
  ];
  const copy = await $`docker ${inVolume} -c ${"tar -c -C /data ."}`.quiet().arrayBuffer();
  await $`docker volume rm ${volume}`.quiet();
  const { code, err } = await up();
  expect(code).toBe(0);
  expect(err).toContain(
    `The blackboard of ${sett.name} is new, and empty: the one before is gone.`,
  );
  expect(err).toContain(`in refs/sett/${sett.name}`);
  expect(err).toContain(goal.slice(0, 8));
  expect(err).toContain("(Add what was asked for)");
  expect(err).toContain("docs/operations.md#restore");

  // It is remembered, also after the next start, and beside a new goal.
  const later = await sett.forage("goodbye");
  await sett.need("down", "--timeout", "1s");
  expect((await up()).err).not.toContain("is new, and empty");
  const known = (await listed()).lost_blackboard?.known.map(({ id }) => id);
  expect(known).toContain(goal);
  expect(known).not.toContain(later);
  const { err: list } = await sett.sett("list");
  expect(list).toContain(`The blackboard of ${sett.name} began empty`);
  expect(list).toContain(goal.slice(0, 8));

  await sett.need("down", "--timeout", "1s");
  await $`docker ${inVolume} -c ${"rm -rf /data/* && tar -x -p -C /data"} < ${new Response(copy)}`.quiet();
  expect((await up()).err).not.toContain("is new, and empty");
  expect((await listed()).lost_blackboard).toBeNull();
  expect((await sett.artefacts(goal)).length).toBeGreaterThan(1);
});
