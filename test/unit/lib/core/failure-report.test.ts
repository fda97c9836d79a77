import { expect, test } from "bun:test";
import {
  boundedOutput,
  failureReport,
  lastLine,
  lastLines,
  type ToolEnd,
} from "../../../../lib/core/failure-report.ts";
import { roomForCount } from "../../../../lib/model/kept-output.ts";
import { FailureReport } from "../../../../lib/model/tool-contract.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const end: ToolEnd = {
  reason: "The tool ended with exit code 3.",
  exitCode: 3,
  signal: null,
  timedOut: false,
  durationMs: 12.6,
  stdout: encode("out"),
  stderr: encode("err"),
};

test("a report holds what the contract lists", () => {
  expect(FailureReport.parse(failureReport(end))).toEqual({
    reason: "The tool ended with exit code 3.",
    exit_code: 3,
    signal: null,
    timed_out: false,
    duration_ms: 13,
    stdout: "out",
    stderr: "err",
  });
});

test("the last thing that a tool said is one plain line, whatever it wrote", () => {
  const esc = "\u001b";
  expect(lastLine(encode("one\ntwo\n\n  \n"))).toBe("two");
  expect(lastLine(encode(`10 %\r\n20 %\r${esc}[31mbroken:\tno such file${esc}[0m\r\n`))).toBe(
    "broken: no such file",
  );
  const link = `${esc}]8;;https://example.org/e1${esc}\\error E1${esc}]8;;${esc}\\`;
  expect(lastLine(encode(`${link} at 7:1${esc}(B${esc}[m\n`))).toBe("error E1 at 7:1");
  expect(lastLine(encode(""))).toBe("");
  const git =
    "hint: x\nerror: 'e/' does not have a commit checked out\nfatal: adding files failed\n";
  expect(lastLine(encode(git))).toBe(
    "error: 'e/' does not have a commit checked out; fatal: adding files failed",
  );
  expect(lastLine(encode("error: one\nbye\n"))).toBe("bye");
  expect(lastLine(new Uint8Array([0xff, 0x0a]))).toBe("\ufffd");
  const long = lastLine(encode(`${"ä".repeat(100_000)}end`));
  expect([...long].length).toBe(200);
  expect(long).toMatch(/^…ä+end$/);
});

test("a tool that never started has nulls", () => {
  const report = failureReport({ ...end, exitCode: null, durationMs: null });
  expect(FailureReport.parse(report)).toMatchObject({
    exit_code: null,
    signal: null,
    duration_ms: null,
  });
});

test("bytes that are no UTF-8 become replacement characters", () => {
  expect(failureReport({ ...end, stderr: new Uint8Array([0x61, 0xff, 0x62]) }).stderr).toBe(
    "a\ufffdb",
  );
});

test("a long output keeps both ends and says how many bytes are left out", () => {
  const { stdout } = failureReport({ ...end, stdout: encode(`begin${"x".repeat(1_000_000)}end`) });
  expect(stdout).toStartWith("beginxxx");
  expect(stdout).toEndWith("xxxend");
  expect(stdout).toContain(`\n[… ${1_000_008 - 2 * 65536} bytes left out …]\n`);
});

test("the cut falls between characters, at any offset", () => {
  for (const shift of ["", "a", "ab", "abc"]) {
    const { stdout } = failureReport({
      ...end,
      stdout: encode(`${shift}${"🦡".repeat(100_000)}${shift}`),
    });
    expect(stdout).not.toContain("\ufffd");
  }
});

test("the payload stays far below the blackboard's limit for the worst of bytes", () => {
  const nulls = new Uint8Array(32 * 1024 * 1024);
  const report = failureReport({ ...end, stdout: nulls, stderr: nulls });
  expect(JSON.stringify(report).length).toBeLessThan(2_000_000);
});

test("an output is kept byte for byte up to the bound, and beyond it its ends with the count between", () => {
  const raw = new Uint8Array([0xff, 0x00, 0x61]);
  expect(boundedOutput(raw, 3)).toEqual({ kept: raw, leftOut: 0 });
  const text = `begin${"x".repeat(1_000)}end`;
  const { kept, leftOut } = boundedOutput(encode(text), 100);
  expect(leftOut).toBe(1_008 - 100);
  expect(new TextDecoder().decode(kept)).toBe(
    `${text.slice(0, 50)}\n[… ${leftOut} bytes left out …]\n${text.slice(-50)}`,
  );
  expect(kept.byteLength).toBeLessThanOrEqual(100 + roomForCount);
  expect(boundedOutput(encode("äöü"), 4).leftOut).toBeGreaterThan(0);
});

test("the last lines are as they were, with their line ends", () => {
  expect(lastLines("one\ntwo\r\nthree\n", 2)).toBe("two\r\nthree\n");
  expect(lastLines("one\ntwo\nthree", 2)).toBe("two\nthree");
  expect(lastLines("one\n\n", 1)).toBe("\n");
  expect(lastLines("one", 30)).toBe("one");
  expect(lastLines("", 30)).toBe("");
});
