// The key of the notary: it is shown when it is made, and sett.yml may pin it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { verifierKeyText } from "../../lib/proof/note.ts";
import { newKey } from "../support/proof/bundle.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

const settings = `version: '1.0'
agents:
  planner:
    image: no-such-image:1
    command: ["sh", "-c", "echo '{\\"artefact_type\\":\\"Plan\\",\\"artefact_payload\\":\\"x\\",\\"summary\\":\\"\\"}'"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: none }
`;

let at: ProcessSett;
let key: string;

beforeAll(async () => {
  at = await ProcessSett.create(`${settings}proof: on\n`);
});
afterAll(() => at?.[Symbol.asyncDispose]());

const pinning = (pinned: string) => at.write(`${settings}proof: { key: "${pinned}" }\n`);

test("the first up shows the key by which the log is sealed, and no later one does", async () => {
  const first = await at.sett("up", "--yes", "--runtime", "process", "--name", at.name);
  expect(first.code).toBe(0);
  key = (await at.need("audit", "key")).trim();
  expect(first.err).toContain(`The log is sealed by the key ${key}\n`);
  const second = await at.sett("up", "--yes");
  expect([second.code, second.err]).toEqual([0, expect.not.stringContaining(key)]);
});

test("a pinned key that the notary has not is refused before anything is replaced", async () => {
  await pinning(verifierKeyText(newKey(`${at.name}.sett.invalid`).verifier));
  const notary = at.processOf("notary");
  const refused = await at.sett("up", "--yes");
  expect(refused.code).toBeGreaterThan(0);
  expect(refused.err).toContain(`it has ${key}`);
  expect(at.processOf("notary")).toEqual(notary);

  await pinning(key);
  await at.need("up", "--yes");
  expect(at.processOf("notary")).not.toEqual(notary);
  await at.need("forage", "--goal", "Plan", "--watch");

  // The volume is gone: no new key takes its place.
  await at.need("down", "--name", at.name);
  await rm(join(at.state, "volumes", `sett-${at.name}-proof`), { recursive: true });
  const lost = await at.sett("up", "--yes");
  expect(lost.code).toBeGreaterThan(0);
  expect(lost.err).toContain("The proof volume has not the key that `proof.key` pins.");
});
