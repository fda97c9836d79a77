// Every way in which a tool can fail is a Failure artefact and a terminated claim, and the agent
// carries on.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import { FailureReport } from "../../lib/model/tool-contract.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

/** The goal says how the tool is to behave. */
const tool = `
work=$(cat)
case "$(printf '%s' "$work" | jq -r .target_artefact.payload)" in
  well)    echo '{"artefact_type":"Fine","artefact_payload":"","summary":""}' ;;
  exit)    echo "half a result"; echo "it broke" >&2; exit 3 ;;
  text)    echo "This is not JSON." ;;
  two)     echo '{"artefact_type":"A","artefact_payload":"","summary":""}{"artefact_type":"B","artefact_payload":"","summary":""}' ;;
  half)    printf '{"artefact_type":"A",' ;;
  nothing) : ;;
  shape)   echo '{"artifact_type":"A","artefact_payload":"","summary":""}' ;;
  hang|trap) printf '%s' "$work" | jq '{artefact_type: "ForSlow", artefact_payload: .target_artefact.payload, summary: ""}' ;;
  commit)  echo '{"artefact_type":"CodeCommit","artefact_payload":"0123456789012345678901234567890123456789","summary":""}' ;;
  failure) echo '{"structural_type":"Failure","artefact_type":"NoWay","artefact_payload":"I will not","summary":""}' ;;
  missing) echo '{"artefact_type":"ForMissing","artefact_payload":"","summary":""}' ;;
esac
`;

/** Its time is up whether it has begun or not. */
const slowTool = `
case "$(jq -r .target_artefact.payload)" in
  hang) sleep 600 ;;
  trap) trap 'exit 0' TERM; sleep 600 & wait ;;
esac
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("tool", tool),
    ...scriptAgent("slow", slowTool),
    ...scriptAgent("gone", ""),
    "sett.yml": settYml({
      tool: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
      slow: "    bids:\n      - { on: ForSlow, bid: exclusive }\n    timeout: 1s\n",
      gone: "    bids:\n      - { on: ForMissing, bid: exclusive }\n",
    }).replace(/(gone:\n.*\n {4}command: )\[.*\]/, '$1["/app/not-there"]'),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

async function failureOf(goalText: string) {
  const { code } = await sett.sett("forage", "--watch", "--goal", goalText);
  expect(code).toBe(3);
  const goals: { id: string; payload: string }[] = JSON.parse(
    await sett.need("hoard", "--json", "--type", "GoalDefined"),
  );
  const goal = goals.findLast((one) => one.payload === goalText);
  if (goal === undefined) throw new Error("the goal is gone");
  const failures = (await sett.artefacts(goal.id)).filter(
    (artefact) => artefact.structural_type === "Failure",
  );
  expect(failures).toHaveLength(1);
  const events = await sett.events(goal.id);
  expect(events.some((event) => event.type === "claim_terminated")).toBe(true);
  const [failure] = failures;
  if (failure === undefined) throw new Error("no failure");
  return failure;
}

test.each([
  ["exit", { exit_code: 3, timed_out: false, stdout: "half a result\n", stderr: "it broke\n" }],
  ["text", { exit_code: 0, stdout: "This is not JSON.\n" }],
  ["two", { exit_code: 0 }],
  ["half", { exit_code: 0 }],
  ["nothing", { exit_code: 0, stdout: "" }],
  ["shape", { exit_code: 0 }],
  ["hang", { timed_out: true, signal: "SIGTERM" }],
  ["trap", { timed_out: true }],
  ["commit", { exit_code: 0 }],
] as const)(
  "a tool whose goal is %s leaves a ToolExecutionFailure with its report",
  async (goal, expected) => {
    const failure = await failureOf(goal);
    expect(failure.type).toBe("ToolExecutionFailure");
    const report = FailureReport.parse(JSON.parse(failure.payload));
    expect(report).toMatchObject(expected);
    expect(report.reason).not.toBe("");
  },
);

test("a Failure that the tool chose is stored as the tool said it", async () => {
  const failure = await failureOf("failure");
  expect(failure).toMatchObject({ type: "NoWay", payload: "I will not" });
});

test("a command that is not there is a ToolExecutionFailure that names it", async () => {
  const failure = await failureOf("missing");
  expect(FailureReport.parse(JSON.parse(failure.payload)).reason).toContain("/app/not-there");
});

test("the agent carries on after all of these, in the same container", async () => {
  const { code } = await sett.sett("forage", "--watch", "--goal", "well");
  expect(code).toBe(0);
  expect(
    (
      await $`docker inspect --format ${"{{.RestartCount}}"} sett-${sett.name}-agent-tool`.text()
    ).trim(),
  ).toBe("0");
});
