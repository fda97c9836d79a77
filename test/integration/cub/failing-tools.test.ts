// Real tools that break the contract, one way each.
import { expect, test } from "bun:test";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { FailureReport } from "../../../lib/model/tool-contract.ts";
import { runCommand } from "../../../lib/process/run-command.ts";
import { cubScene } from "../../support/cub/scene.ts";
import { isNight } from "../../support/nightly.ts";

type Expected = Partial<Record<keyof FailureReport, unknown>>;

const shell = (script: string) => ["/bin/sh", "-c", script];
const saying = (text: string) => expect.stringContaining(text);

type Failing = [string, string[], Partial<AgentRegistration>, Expected];

const tooMuch: Failing = [
  "says too much",
  shell("yes | head -c 40000000"),
  {},
  { reason: saying("32 MiB") },
];

const failing: Failing[] = [
  [
    "exits 3",
    shell("echo half; echo why >&2; exit 3"),
    {},
    {
      reason: "The tool ended with exit code 3: why",
      exit_code: 3,
      stdout: "half\n",
      stderr: "why\n",
      timed_out: false,
    },
  ],
  ["exits 3 without a word", shell("exit 3"), {}, { reason: "The tool ended with exit code 3." }],
  [
    "calls what is not installed",
    shell("frobnicate"),
    {},
    {
      exit_code: 127,
      reason: expect.stringMatching(
        /^The tool ended with exit code 127: .*frobnicate: .*not found$/,
      ),
    },
  ],
  [
    "dies of a signal",
    shell("kill -KILL $$"),
    {},
    { exit_code: null, signal: "SIGKILL", reason: saying("SIGKILL") },
  ],
  ["says nothing", shell("true"), {}, { reason: saying("wrote nothing"), exit_code: 0 }],
  ["says text", shell("echo hello"), {}, { reason: saying("not JSON"), stdout: "hello\n" }],
  ["says two things", shell('echo "{} {}"'), {}, { reason: saying("several JSON values") }],
  ["stops half way", shell(`echo '{"artefact_type":'`), {}, { reason: saying("is incomplete") }],
  ["misses the schema", shell('echo "{}"'), {}, { reason: saying("artefact_type") }],
  [
    "hangs",
    shell("sleep 100"),
    { timeout_ms: 100 },
    { timed_out: true, reason: saying("timeout of 0.1 s") },
  ],
  [
    "leaves its answer to a process behind it",
    shell("(sleep 600; echo '{}') & true"),
    {},
    {
      timed_out: false,
      exit_code: 0,
      reason: saying("A process that the tool left behind still held its output"),
    },
  ],
  ["is empty", [], {}, { reason: "The command is empty.", duration_ms: null }],
  [
    "is missing",
    ["/no/such/tool"],
    {},
    { reason: saying("does not exist"), duration_ms: null, exit_code: null },
  ],
  [
    "calls a word a commit",
    shell(`echo '{"artefact_type":"CodeCommit","artefact_payload":"tomorrow","summary":""}'`),
    {},
    { reason: saying("is not a commit"), exit_code: 0 },
  ],
  [
    "asks about what it was not given",
    shell(
      `echo '{"structural_type":"Question","payload":"Why?","about":"11111111-1111-4111-8111-111111111111"}'`,
    ),
    {},
    { reason: saying("which is none of its inputs") },
  ],
  [
    "answers without a question",
    shell(`echo '{"structural_type":"Answer","payload":"42"}'`),
    {},
    { reason: saying("its target is not a Question") },
  ],
  // It writes for long.
  ...(isNight ? [tooMuch] : []),
];

test.each(failing)(
  "a tool that %s makes a ToolExecutionFailure that says so",
  async (_what, command, agent, report) => {
    await using scene = await cubScene({
      agent,
      over: {
        runTool: (order) =>
          runCommand({ ...order, command, cwd: "/", env: { PATH: "/usr/bin:/bin" } }),
      },
    });
    scene.start();
    const goal = await scene.standIn.post();
    const claim = await scene.standIn.openGranted(goal, scene.agent);
    const { state, artefact, grant } = await scene.standIn.ended(claim, scene.agent);
    expect([state, artefact.structural_type, artefact.type]).toEqual([
      "failed",
      "Failure",
      "ToolExecutionFailure",
    ]);
    expect(artefact.source_artefacts).toEqual([goal.id]);
    const said = FailureReport.parse(JSON.parse(artefact.payload));
    expect(said).toMatchObject(report);
    expect(grant).toMatchObject({ reason: said.reason });
  },
);
