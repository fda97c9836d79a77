// Tools that behave oddly inside a real container: what works works, what does not is a Failure
// that says why, and nothing is left behind.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { FailureReport } from "../../lib/model/tool-contract.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

/** The first word of the goal says how the tool is to behave. */
const tool = `
work=$(cat)
fine() { echo "{\\"artefact_type\\":\\"Fine\\",\\"artefact_payload\\":\\"$1\\",\\"summary\\":\\"\\"}"; }
long() { printf '{"artefact_type":"Long","summary":"","artefact_payload":"'; head -c "$1" /dev/zero | tr '\\0' x; printf '"}'; }
case "$(printf '%s' "$work" | jq -r '.target_artefact.payload | split(" ")[0]')" in
  empty)   fine "" ;;
  ten)     long 10000000 ;;
  twenty)  long 20000000 ;;
  fifty)   long 50000000 ;;
  latin)   printf '{"artefact_type":"A","artefact_payload":"f\\374r","summary":""}' ;;
  twice)   fine "$(cat | wc -c) $(cat /dev/stdin | wc -c)" ;;
  size)    fine "$(printf '%s' "$work" | jq -r '.target_artefact.payload | length')" ;;
  holds)   fine early; sleep 611 & ;;
  orphans) for n in 1 2 3 4 5; do (sleep 0.1 > /dev/null 2>&1 &) ; done; setsid sleep 0.3 > /dev/null 2>&1 & sleep 0.5; fine "" ;;
  *)       fine "" ;;
esac
`;

const wants = (operator: string) =>
  `    bid_command: ${JSON.stringify(["jq", "-r", `if .type == "GoalDefined" and .payload ${operator} "ignores" then "exclusive" else "ignore" end`])}\n`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("tool", tool),
    ...scriptAgent("stubborn", "trap '' TERM; while :; do sleep 0.2; done"),
    // The one with a time-out is by itself: on a busy machine the others may need long.
    "sett.yml": settYml({ tool: wants("!="), stubborn: `${wants("==")}    timeout: 10s\n` }),
  });
  await sett.up();
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

/** States the goal on stdin, waits for its end and gives the one artefact that came of it. */
async function resultOf(goal: string): Promise<{ code: number; result: Artefact }> {
  const child = Bun.spawn([settBinary, "forage", "--watch", "--json", "--goal", "-"], {
    cwd: sett.folder,
    stdin: new Blob([goal]),
    stdout: "pipe",
    stderr: "ignore",
  });
  const result = JSON.parse(await new Response(child.stdout).text());
  const [, id, ...more] = result.artefacts;
  expect(more).toEqual([]);
  return { code: await child.exited, result: JSON.parse(await sett.need("unearth", id, "--json")) };
}

async function failureOf(goal: string): Promise<FailureReport> {
  const { code, result } = await resultOf(goal);
  expect(code).toBe(3);
  expect(result).toMatchObject({ structural_type: "Failure", type: "ToolExecutionFailure" });
  return FailureReport.parse(JSON.parse(result.payload));
}

/** Lists what runs in the agent's container, each with its state. */
async function processes(): Promise<string> {
  return await $`docker top sett-${sett.name}-agent-tool -eo pid,stat,args`.text();
}

test("an empty payload is a result", async () => {
  const { code, result } = await resultOf("empty");
  expect(code).toBe(0);
  expect(result).toMatchObject({ type: "Fine", payload: "" });
});

test("a payload of 10 MB is a result, whole", async () => {
  const { code, result } = await resultOf("ten");
  expect(code).toBe(0);
  expect(result.payload).toBe("x".repeat(10_000_000));
});

test("a goal of 1 MB reaches the tool whole", async () => {
  const goal = `size ${"ä".repeat(500_000)}`;
  expect((await resultOf(goal)).result.payload).toBe(String(goal.length));
});

test("a tool may read stdin twice: to its end once, and again by name", async () => {
  const [rest, again] = (await resultOf("twice")).result.payload.split(" ").map(Number);
  expect(rest).toBe(0);
  expect(again).toBeGreaterThan(100);
});

test.each([
  ["twenty", "(16 MiB) are allowed"],
  ["fifty", "32 MiB"],
  ["latin", "not valid UTF-8"],
])(
  "a tool whose goal is %s is refused with the reason, and its report is short",
  async (goal, reason) => {
    const report = await failureOf(goal);
    expect(report.reason).toContain(reason);
    expect(JSON.stringify(report).length).toBeLessThan(2_000_000);
  },
);

test("a tool that ignores SIGTERM is killed after its timeout", async () => {
  const report = await failureOf("ignores");
  expect(report).toMatchObject({ timed_out: true, signal: "SIGKILL" });
  expect(report.reason).toContain("timeout of 10 s");
});

test("a grandchild that holds stdout does not hold the agent: it is ended with the tool", async () => {
  const { code, result } = await resultOf("holds");
  expect(code).toBe(0);
  expect(result).toMatchObject({ type: "Fine", payload: "early" });
  await waitFor(
    "the grandchild to be gone",
    async () => !(await processes()).includes("sleep 611"),
  );
});

test("orphans leave no zombies", async () => {
  expect((await resultOf("orphans")).code).toBe(0);
  await waitFor("the zombies to go", async () => !/ Z|sleep/.test(await processes()));
});
