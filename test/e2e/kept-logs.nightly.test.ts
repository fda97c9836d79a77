// Shows what was logged by containers that are gone: replaced by `sett up`, or taken down. Without
// Docker, where it is the same and costs less.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

type Line = { msg: string; time: string; container?: string; phase?: string };

let sett: ProcessSett;
const settings = (colour: string) => `version: '1.0'
agents:
${answering("painter", { artefact_type: "Painted", artefact_payload: "", summary: "" }, `    bids: [{ on: GoalDefined, bid: exclusive }]\n    environment: { COLOUR: ${colour} }\n`)}${answering(
  "critic",
  { structural_type: "Terminal", artefact_type: "Seen", artefact_payload: "", summary: "" },
  "    bids: [{ on: Painted, bid: exclusive }]\n    strategy: fresh_per_call\n    replicas: 2\n",
)}`;

beforeAll(async () => {
  sett = await ProcessSett.create(settings("red"));
  await sett.up();
  await sett.need("forage", "--goal", "Paint", "--watch");
});
afterAll(() => sett[Symbol.asyncDispose]());

async function logOf(part: string, ...words: string[]): Promise<Line[]> {
  const lines = (await sett.need("logs", part, "--name", sett.name, ...words))
    .trimEnd()
    .split("\n");
  return lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : { msg: line, time: "" }));
}

const messages = (lines: Line[]) => lines.map(({ msg }) => msg);
const marks = (lines: Line[]) =>
  messages(lines).filter((msg) => msg.startsWith("End of the log of a container"));
const times = (lines: Line[], msg: string) => messages(lines).filter((each) => each === msg).length;

/**
 * Returns what it has logged once it has said this so often: its supervisor may write that down a
 * moment after it is ready.
 */
const logWith = (part: string, msg: string, count: number) =>
  waitFor(`"${msg}" ${count} times`, async () => {
    const lines = await logOf(part);
    return times(lines, msg) >= count && lines;
  });

test("the log of a container that up has replaced comes before its successor's log, and is marked", async () => {
  await sett.write(settings("blue"));
  expect(await sett.up()).toContain("replaced painter");
  const lines = await logWith("painter", "Cub started", 2);
  const [created, mark, begun] = [
    messages(lines).indexOf("Created artefact"),
    messages(lines).findIndex((msg) =>
      msg.startsWith("End of the log of a container that `sett up` has removed"),
    ),
    messages(lines).lastIndexOf("Cub started"),
  ];
  expect(created).toBeGreaterThan(-1);
  expect(mark).toBeGreaterThan(created);
  expect(begun).toBeGreaterThan(mark);
  expect(times(lines, "Cub started")).toBe(2);
  expect(lines[mark]?.container).toMatch(/^[0-9a-z-]{6,}$/);
});

test("--tail counts them as lines like any other", async () => {
  const all = await logOf("painter");
  const begun = messages(all).lastIndexOf("Cub started");
  expect(marks(await logOf("painter", "--tail", "1"))).toEqual([]);
  const more = all.length - begun + 3;
  const last = await logOf("painter", "--tail", String(more));
  expect(last).toHaveLength(more);
  expect(marks(last)).toHaveLength(1);
});

test("--follow begins with them, goes on with what is logged, and ends with 130 when it is interrupted", async () => {
  const following = sett.start("logs", "--follow", "painter");
  let out = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const bytes of following.stdout) out += decoder.decode(bytes, { stream: true });
  })();
  await waitFor("what was logged", () => out.split('"msg":"Cub started"').length === 3);
  expect(out.split("End of the log of a container")).toHaveLength(2);
  const before = out.length;
  await sett.need("forage", "--goal", "Paint again", "--watch");
  await waitFor("what is logged from here on", () =>
    out.slice(before).includes("Created artefact"),
  );
  following.kill("SIGINT");
  expect(await following.exited).toBe(130);
  await reading;
});

test("after down the log of every part is still there, an agent's with that of its workers", async () => {
  await sett.need("down", "--name", sett.name);
  const painter = await logOf("painter");
  expect(marks(painter)).toEqual([
    expect.stringContaining("`sett up`"),
    expect.stringContaining("`sett down`"),
  ]);
  expect(messages(painter)).toContain("Cub stopped");
  const critic = await logOf("critic");
  expect(messages(critic)).toContain("Cub started");
  expect(times(critic, "Created artefact")).toBe(2);
  expect(messages(await logOf("orchestrator")).join()).toContain("stop");
  expect(messages(await logOf("redis")).join()).toContain("Redis is now ready to exit");
  const { code, err } = await sett.sett("logs", "--name", sett.name, "-f", "painter");
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(
      "is down. Its blackboard is kept. These are the kept lines of its log.",
    ),
  });
  expect(await sett.sett("logs", "--name", sett.name, "unknown")).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      "There are kept logs of critic, orchestrator, painter, recorder, redis.",
    ),
  });
});

test("only the owner may read them", async () => {
  const folder = join(sett.folder, ".git/sett/logs");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(entries.length).toBeGreaterThan(5);
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect([entry.name, mode & 0o077]).toEqual([entry.name, 0]);
  }
});

test("after the next up they stand before what is logged from then on, each line once", async () => {
  await sett.up();
  const painter = await logWith("painter", "Cub started", 3);
  expect(marks(painter)).toHaveLength(2);
  expect(times(painter, "Cub started")).toBe(3);
  const critic = await logWith("critic", "Cub started", 2);
  expect(times(critic, "Created artefact")).toBe(2);
  expect(times(critic, "Cub started")).toBe(2);
});

test("what a worker that is at work when down comes has logged can be read while nothing runs, and after the next up", async () => {
  await sett.need("forage", "--goal", "wait", "--name", sett.name);
  const begun = async () => times(await logOf("critic"), "Executing tool");
  await waitFor("a worker at work", async () => (await begun()) === 3);
  await sett.need("down", "--name", sett.name, "--timeout", "1s");
  expect(await begun()).toBe(3);
  await sett.need("up", "--name", sett.name);
  expect(await begun()).toBeGreaterThanOrEqual(3);
});

test("of an agent that is no longer in sett.yml it can be read, too", async () => {
  const critic = settings("blue").slice(settings("blue").indexOf("  critic:"));
  await sett.write(`version: '1.0'\nagents:\n${critic}`);
  expect(await sett.up()).toContain("stopped painter");
  expect(marks(await logOf("painter"))).toHaveLength(4);
});

test("prune removes those that are older than what it moves", async () => {
  const plan = JSON.parse(await sett.need("prune", "--before", "0s", "--dry-run", "--json"));
  expect(plan.logs).toBeGreaterThan(3);
  expect(marks(await logOf("painter"))).toHaveLength(4);
  const pruned = JSON.parse(await sett.need("prune", "--before", "0s", "--json"));
  expect(pruned.logs).toBeGreaterThanOrEqual(plan.logs);
  expect((await sett.sett("logs", "painter")).code).toBe(2);
  await sett.need("logs", "critic");
});

test("down --volumes leaves none of them", async () => {
  await sett.need("down", "--name", sett.name, "--volumes");
  expect(await readdir(join(sett.folder, ".git"))).not.toContain("sett");
});
