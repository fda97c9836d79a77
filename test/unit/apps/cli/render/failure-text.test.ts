import { expect, test } from "bun:test";
import { failureText, streamsText } from "../../../../../apps/cli/render/failure-text.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { failureReport } from "../../../../../lib/core/failure-report.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

const out = { style: createStyle(false), columns: undefined };
const encode = (text: string) => new TextEncoder().encode(text);
const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join("");

function failure(over: { stdout?: string; stderr?: string; exitCode?: number | null }) {
  const { stdout = "", stderr = "", exitCode = 2 } = over;
  const end = { reason: "", exitCode, signal: null, timedOut: false, durationMs: 1_240 };
  const payload = JSON.stringify(
    failureReport({ ...end, stdout: encode(stdout), stderr: encode(stderr) }),
  );
  return sampleArtefact({ structural_type: "Failure", type: "ToolExecutionFailure", payload });
}

const textOf = (artefact: ReturnType<typeof failure>, keeps = false) =>
  failureText(artefact, { out, keeps, suggest: (line) => `sett ${line}` });

test("a failure shows the last 30 lines that its command has printed, each behind a bar", () => {
  const artefact = failure({ stderr: lines, stdout: "why not\n" });
  const text = textOf(artefact, true)?.split("\n") ?? [];
  expect(text.slice(0, 3)).toEqual([
    "Exit code 2 after 1.2 s.",
    "stderr, its last 30 lines",
    "  │ line 11",
  ]);
  expect(text.slice(31)).toEqual([
    "  │ line 40",
    "stdout",
    "  │ why not",
    `all of it: sett unearth ${artefact.id.slice(0, 8)} --streams`,
  ]);
});

test("no escape of an agent reaches the terminal, and a progress bar is one line", () => {
  const stderr = "\u001b[2J\u001b]0;title\u0007\u001b[31m10 %\r100 %\u001b[0m\n";
  expect(textOf(failure({ stderr }))?.split("\n").slice(1)).toEqual(["stderr", "  │ 100 %"]);
});

test("what is no report of a command is not shown as one", () => {
  expect(textOf(sampleArtefact({ type: "ToolExecutionFailure", payload: "{}" }))).toBeUndefined();
  expect(textOf(sampleArtefact({ type: "Report", payload: "{}" }))).toBeUndefined();
});

test("a stream says how much of it is kept, or that it is not any more", () => {
  const stream = { digest: "a".repeat(64), bytes: 20_000_000 };
  const content = encode("one\ntwo\n");
  expect(
    streamsText(
      [
        { ...stream, name: "stdout", content: undefined },
        { ...stream, name: "stderr", left_out: 3_000_000, content },
      ],
      out,
    ),
  ).toBe(
    "stdout (20 000 000 bytes)\nIt is not kept.\n\nstderr (20 000 000 bytes, 3 000 000 of them left out)\n  │ one\n  │ two\n",
  );
});
