// What the documentation promises is what one sees: its examples of answers are run as they stand
// there, and the words that docs/troubleshooting.md names are looked for in real symptoms. No word
// of these comes from a runtime, so the sett runs without containers.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../lib/model/artefact.ts";
import { blocksOf, fileWrittenBy, readPage, sectionOf } from "../support/docs/pages.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const page = readPage("docs/troubleshooting.md");
const answers = sectionOf(readPage("docs/guides/write-an-agent.md"), "## What it answers");
const [derivative = "", approval = "", feedback = "", terminal = "", failure = ""] = blocksOf(
  answers,
).map(({ code }) => code);
/** Builds walls of brick, and answers with a CodeCommit. */
const commit = fileWrittenBy("docs/guides/git.md", "agents/walls/run.sh");

const print = (text: string) => `cat <<'END'\n${text}\nEND\n`;
const artefact = (type: string) => `{"artefact_type":"${type}","artefact_payload":"","summary":""}`;

/**
 * A goal is the script that the tool runs; what is sent back to it with feedback it answers with a
 * second draft.
 */
const shell = `
work=$(cat)
case "$(printf '%s' "$work" | jq -r .target_artefact.type)" in
  GoalDefined) eval "$(printf '%s' "$work" | jq -r .target_artefact.payload)" ;;
  *) ${print(artefact("Draft"))} ;;
esac
`;
const critic = `if [ "$(jq .target_artefact.version)" -gt 1 ]; then ${print(approval)} else ${print(feedback)} fi`;

/** Answers when it gets SIGTERM. */
const late = `answer() {\n${print(artefact("Late"))}}\ntrap 'answer; exit 0' TERM\nsleep 600 > /dev/null 2>&1 &\nwait`;

const endless = "sleep 600";

/** Has an agent want the goals that are like this. */
const wants = (condition: string) =>
  `    bid_command: ${JSON.stringify(["jq", "-r", `if .type == "GoalDefined" and (${condition}) then "exclusive" else "ignore" end`])}\n`;

let sett: ProcessSett;
let shellAtFirst: ReturnType<ProcessSett["processOf"]>;

beforeAll(async () => {
  const onType = (type: string, bid: string) => `    bids:\n      - { on: ${type}, bid: ${bid} }\n`;
  const rw = "    workspace: { mode: rw }\n";
  const settings = settYml({
    shell: `${rw}${wants(`.payload != "unwanted" and .payload != "${endless}"`)}`,
    // The dawdler is by itself, because on a busy machine two seconds may be too short for any of
    // the others.
    dawdler: `${wants(`.payload == "${endless}"`)}    timeout: 2s\n`,
    critic: onType("Draft", "review"),
    hasty: onType("Pair", "claim"),
    slow: onType("Pair", "claim"),
    locked: onType("Plan", "exclusive"),
    unsure: `    bid_command: ["echo", "maybe"]\n`,
  });
  sett = await ProcessSett.create(settings, {
    ...scriptAgent("shell", shell),
    ...scriptAgent("dawdler", endless),
    ...scriptAgent("critic", critic),
    ...scriptAgent("hasty", 'until [ -e "$HOME/go" ]; do sleep 0.1; done; exit 1'),
    ...scriptAgent("slow", late),
    ...scriptAgent("locked", commit),
    ...scriptAgent("unsure", ":"),
  });
  await sett.up();
  shellAtFirst = sett.processOf("agent-shell");
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

type GoalResult = { code: number; err: string; goal: string; state: string; results: Artefact[] };

async function run(goal: string): Promise<GoalResult> {
  const { code, out, err } = await sett.look("forage", "--watch", "--json", "--goal", goal);
  const { id, state } = JSON.parse(out);
  const [, ...results] = JSON.parse(await sett.need("hoard", "--json", "--goal", id));
  return { code, err, goal: id, state, results };
}

type LogLine = Record<string, unknown> & { msg: string };

async function logOf(agent: string): Promise<LogLine[]> {
  return (await sett.need("logs", agent))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The page names these words, and they are really there. */
function expectSeen(words: string, text: string): void {
  expect(page).toContain(words);
  expect(text).toContain(words);
}

async function expectLogged(agent: string, msg: string): Promise<void> {
  expectSeen(msg, (await logOf(agent)).map((line) => line.msg).join("\n"));
}

test.each([
  ["a derivative result", derivative, ["Standard", "LintReport", '{"warnings":3}'], "settled"],
  ["a Terminal", terminal, ["Terminal", "Released", "1.2.0"], "achieved"],
  [
    "a chosen Failure",
    failure,
    ["Failure", "NothingToRelease", "No commits since 1.1.0"],
    "failed",
  ],
] as const)(
  "the example of %s gives what is said of it",
  async (_, example, [structural_type, type, payload], state) => {
    const result = await run(print(example));
    expect(result.results).toMatchObject([
      {
        structural_type,
        type,
        payload,
        version: 1,
        source_artefacts: expect.arrayContaining([result.goal]),
      },
    ]);
    expect(result).toMatchObject({ state, code: state === "failed" ? 3 : 0 });
  },
);

test("the example of a commit reaches the repository", async () => {
  const { results } = await run(commit);
  expect(results).toMatchObject([{ type: "CodeCommit", metadata: { summary: "Built the walls" } }]);
  expect(await sett.git("show", `refs/sett/${sett.name}/${results[0]?.id}:walls.txt`)).toBe(
    "brick",
  );
});

test("feedback makes version 2 of the same thread and type, from the rejected version and its review; approval ends it there", async () => {
  const { results, goal } = await run(print(artefact("Draft")));
  const [first, rejecting, second, approving, ...more] = results;
  expect(more).toEqual([]);
  expect(first).toMatchObject({ type: "Draft", version: 1, source_artefacts: [goal] });
  expect(rejecting).toMatchObject({
    structural_type: "Review",
    payload: "door.txt: say which door",
    version: 1,
  });
  expect(second).toMatchObject({ type: "Draft", version: 2, logical_id: first?.logical_id });
  expect(second?.source_artefacts).toEqual(
    [first, rejecting].flatMap((source) => source?.id ?? []),
  );
  expect(approving).toMatchObject({
    structural_type: "Review",
    payload: "{}",
    source_artefacts: [second?.id],
  });
});

test.each([
  [
    "text before the answer",
    `echo Looking\n${print(artefact("A"))}`,
    "The tool's stdout is not JSON: it begins with",
  ],
  [
    "a commit that is not quiet",
    `git commit --allow-empty -m x\n${print(artefact("A"))}`,
    "is not valid JSON",
  ],
  [
    "text after the answer",
    `${print(artefact("A"))}echo Done`,
    "The tool wrote more than JSON to stdout",
  ],
  ["two answers", print(artefact("A")).repeat(2), "The tool wrote several JSON values to stdout"],
  ["no answer", ":", "The tool wrote nothing to stdout"],
  [
    "no summary",
    print(artefact("A").replace(',"summary":""', "")),
    "does not match the contract: `summary` is missing",
  ],
  [
    "a misspelt key",
    print(artefact("A").replace("artefact_type", "artifact_type")),
    'unknown key "artifact_type"',
  ],
  ["exit code 1", `${print(artefact("A"))}exit 1`, "The tool ended with exit code 1."],
  ["a kill", "kill -9 $$", "The tool was ended by SIGKILL."],
  [
    "no hash",
    print(artefact("CodeCommit")),
    "The tool printed a CodeCommit whose payload is not a commit",
  ],
  [
    "an answer",
    print('{"structural_type":"Answer","payload":"42"}'),
    "The tool printed an Answer, but its target is not a Question",
  ],
  [
    "a question about something else",
    print(
      '{"structural_type":"Question","payload":"Why?","about":"11111111-1111-4111-8111-111111111111"}',
    ),
    "which is none of its inputs.",
  ],
])(
  "a tool that worked but for %s is a Failure with the reason that is listed",
  async (_, script, reason) => {
    const { code, err, results } = await run(script);
    expect(code).toBe(3);
    expect(results).toMatchObject([{ structural_type: "Failure", type: "ToolExecutionFailure" }]);
    expectSeen(reason, JSON.parse(results[0]?.payload ?? "{}").reason);
    // This is what `forage --watch` ends with: the reason and the way to the whole report.
    expect(err).toContain(`ToolExecutionFailure:\n  │ ${results[0]?.metadata.summary}\n`);
    expect(err).toContain(`sett unearth ${results[0]?.id.slice(0, 8)}`);
  },
);

test("the log has the lines that are listed for such Failures", async () => {
  for (const line of [
    "Failed to parse tool output",
    "Tool execution failed",
    "Created Failure artefact",
  ])
    await expectLogged("shell", line);
});

test("a commit of an agent without rw is refused with the remedy", async () => {
  const { results } = await run(print(artefact("Plan")));
  const report = results.find(({ structural_type }) => structural_type === "Failure");
  expectSeen(
    "the agent's workspace is ro. Set `workspace: { mode: rw }` for the agent in sett.yml.",
    report?.payload ?? "",
  );
});

test("a time-out is named in the log and in the Failure", async () => {
  const { results } = await run(endless);
  const payload = results[0]?.payload ?? "{}";
  expect(JSON.parse(payload)).toMatchObject({ timed_out: true, signal: "SIGTERM", stdout: "" });
  expectSeen('"timed_out":true', payload);
  expectSeen("ran longer than its timeout of", payload);
  await expectLogged("dawdler", "Tool execution timeout");
});

test("a goal that no agent wants is stalled, and the logs say why each agent ignored it", async () => {
  const { code, state, err } = await run("unwanted");
  expect({ code, state }).toEqual({ code: 1, state: "stalled" });
  expectSeen("No agent worked on it: no agent bid anything other than `ignore`.", err);
  expect((await logOf("unsure")).findLast(({ msg }) => msg === "Placed bid")).toMatchObject({
    bid: "ignore",
    decided_by: "error",
  });
  await expectLogged("unsure", "Failed to decide the bid");
});

test("a valid answer to a claim that another agent's failure has ended is dropped, and the log says so", async () => {
  const running = run(print(artefact("Pair")));
  // Were the other one faster than it, it would never begin.
  await waitFor(
    "the slow one at work",
    async () => (await logOf("slow")).some((line) => line.msg === "Executing tool"),
    {
      everyMs: 200,
    },
  );
  await writeFile(join(sett.root, "go"), "");
  const { results } = await running;
  expect(results.map(({ produced_by_agent }) => produced_by_agent)).toEqual(["shell", "hasty"]);
  const msg = "Lost the grant; stopped its tool and dropped its result";
  const dropped = await waitFor(
    "the end of the slow one",
    async () => (await logOf("slow")).find((line) => line.msg === msg),
    {
      everyMs: 200,
    },
  );
  expect(dropped.reason).toMatch(/^Claim .* has ended\.$/);
  await expectLogged("slow", msg);
});

test("a Failure is shown with its sources and its report", async () => {
  const { goal, results } = await run("echo 'lint: no such file: src' >&2; exit 3");
  const id = String(results[0]?.id);
  expect(await sett.need("hoard", id)).toContain(`sources  ${goal}`);
  expect(JSON.parse(await sett.need("unearth", id, "--payload"))).toMatchObject({
    exit_code: 3,
    stderr: "lint: no such file: src\n",
  });
});

test("the agent carries on after all of these, in the same process", async () => {
  expect((await run(print(artefact("Report")))).code).toBe(0);
  expect(shellAtFirst).toBeDefined();
  expect(sett.processOf("agent-shell")).toEqual(shellAtFirst);
});
