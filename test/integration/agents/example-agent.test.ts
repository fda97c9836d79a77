import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { FullToolOutput, formatToolInput } from "../../../lib/model/tool-contract.ts";
import { agentScript, runAgent } from "../../support/agents/run-agent.ts";
import { newClaimId, sampleArtefact } from "../../support/records/sample.ts";

const work = formatToolInput({
  claim_type: "exclusive",
  claim_id: newClaimId(),
  target_artefact: sampleArtefact({ type: "GoalDefined", payload: 'hello "you" \\ $HOME `x`\n' }),
  context_chain: [],
  additional_context: [],
});

test("the example agent answers any goal with an EchoSuccess that carries the time", async () => {
  const before = Math.floor(Date.now() / 1000);
  const { exitCode, stdout, stderr } = await runAgent("example-agent", work, tmpdir());
  const answer = FullToolOutput.parse(JSON.parse(stdout));
  expect([exitCode, answer.artefact_type, answer.summary]).toEqual([
    0,
    "EchoSuccess",
    "Echoed the GoalDefined artefact",
  ]);
  const [, seconds] = /^echo-(\d+)$/.exec(String(answer.artefact_payload)) ?? [];
  expect(Number(seconds)).toBeWithin(before, before + 60);
  expect(stderr).toContain('hello "you"');
});

test("what is no work makes the example agent fail, and leaves stdout empty", async () => {
  for (const text of ["", "{", "{}", "[]"]) {
    const { exitCode, stdout } = await runAgent("example-agent", text, tmpdir());
    expect([text, exitCode === 0, stdout]).toEqual([text, false, ""]);
  }
});

test("the README's line for trying it by hand works", async () => {
  const readme = await Bun.file(
    agentScript("example-agent").replace(/run\.sh$/, "README.md"),
  ).text();
  const [, line] = /^echo '([^']*)' \| \.\/run\.sh$/m.exec(readme) ?? [];
  expect((await runAgent("example-agent", line, tmpdir())).exitCode).toBe(0);
});
