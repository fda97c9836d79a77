// A person keeps the proof of an own act, and later shows by it that the log has the act.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildForTests } from "../../.ci/go.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

let at: ProcessSett;
const settings = `version: '1.0'
agents:
  planner:
    image: no-such-image:1
    command: ["sh", "-c", "echo '{\\"artefact_type\\":\\"Plan\\",\\"artefact_payload\\":\\"x\\",\\"summary\\":\\"\\"}'"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: none }
  owner:
    human: true
    bids: [{ on: Plan, bid: review }]
proof: on
`;

beforeAll(async () => {
  at = await ProcessSett.create(settings);
  await at.up();
});
afterAll(() => at?.[Symbol.asyncDispose]());

test("an approval that was kept as a receipt is shown in its log, and missed in any other", async () => {
  const place = (name: string) => join(at.root, name);
  const [request, mine, later] = [place("request"), place("mine"), place("later")];
  const goal = (await at.need("forage", "--goal", "Plan", "--receipt", request)).trim();
  const plan = await waitFor("the approval", async () => {
    const [waiting] = JSON.parse(await at.need("questions", "--json"));
    return waiting?.id as string | undefined;
  });

  // Nothing is posted where the receipt could not be kept.
  await writeFile(mine, "letter");
  const refused = await at.sett("approve", plan, "--receipt", mine);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("is there already.")]);
  expect(await readFile(mine, "utf8")).toBe("letter");
  const nowhere = await at.sett("approve", plan, "--receipt", place("none/mine"));
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("cannot be written")]);
  const unknown = place("unknown");
  expect((await at.sett("approve", "ffffffff", "--receipt", unknown)).code).not.toBe(0);
  expect(existsSync(unknown)).toBe(false);

  const own = place("own");
  const review = (await at.need("approve", plan, "--receipt", own)).trim();
  await at.need("audit", "receipt", review, "--to", later);
  await at.need("forage", "--goal", "Another", "--receipt", place("another"));
  const [key, bundle, all] = [place("key"), place("goal.tar"), place("all.tar")];
  await writeFile(key, await at.need("audit", "key"));
  await at.need("audit", "export", goal, "--to", bundle);
  await at.need("audit", "export", "--all", "--to", all);

  const verifier = await buildForTests("verify");
  const verify = async (file: string, ...receipts: string[]) => {
    const args = [
      file,
      "--key",
      key,
      ...receipts.flatMap((one) => ["--receipt", place(one)]),
      "--json",
    ];
    const { code, out, err } = await at.sett("audit", "verify", ...args);
    const other = Bun.spawnSync([verifier, ...args]);
    const [one, two] = [JSON.parse(out), JSON.parse(other.stdout.toString())].map(({ problems }) =>
      problems.map((each: { code: string; place: string }) => `${each.code} ${each.place}`),
    );
    expect({ code: other.exitCode, problems: two }).toEqual({ code, problems: one });
    return { code, problems: one, err };
  };
  const shown = { code: 0, problems: [] };
  expect(await verify(bundle, "request", "own", "later")).toMatchObject(shown);
  expect(await verify(all, "request", "own", "later", "another")).toMatchObject(shown);
  expect(await verify(bundle, "own", "another", "mine")).toEqual({
    code: 1,
    problems: ["receipt receipt:2", "receipt receipt:3"],
    err: expect.stringContaining("does not show what receipts show: 2 problems."),
  });
});
