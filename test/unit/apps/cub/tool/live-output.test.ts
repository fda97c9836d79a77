import { expect, test } from "bun:test";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";
import { LiveOutput } from "../../../../../apps/cub/tool/live-output.ts";
import { readOutputLine } from "../../../../../lib/model/output-line.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { waitFor } from "../../../../support/wait-for.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const of = { agent: "builder", goal_id: "g", claim_id: "c", attempt: 1 };

function scene(secret?: string) {
  const written: string[] = [];
  const log = createJsonLog(
    (line) => written.push(line),
    () => new Date(),
    of,
  );
  const masker = secret === undefined ? undefined : maskerOf([["token", encode(secret)]]);
  const live = new LiveOutput(log, masker && (() => masker));
  const text = (stream: string) =>
    written
      .flatMap((line) => readOutputLine(line) ?? [])
      .filter((line) => line.stream === stream)
      .map((line) => line.text)
      .join("");
  return { live, written, text };
}

test("what is printed is in the log soon, also a line that has not ended", async () => {
  const { live, text } = scene();
  live.add("stderr", encode("one\n10 %\r"));
  await waitFor("the log", () => text("stderr") === "one\n10 %\r");
  live.add("stderr", encode("20 %"));
  live.end();
  expect(text("stderr")).toBe("one\n10 %\r20 %\n");
});

test("a last line without an end is a line, so that readers of lines have it", async () => {
  const { live, text } = scene();
  live.add("stderr", encode("no such file"));
  await waitFor("the log", () => text("stderr") === "no such file");
  live.add("stdout", encode("whole\n"));
  live.end();
  expect([text("stderr"), text("stdout")]).toEqual(["no such file\n", "whole\n"]);
});

test("long output comes in pieces that no log cuts, and that break no character", () => {
  const { live, written, text } = scene();
  const long = `${"🦡".repeat(5_000)}\n${"line of a build\n".repeat(10_000)}`;
  const bytes = encode(long);
  for (let from = 0; from < bytes.length; from += 1_001)
    live.add("stderr", bytes.subarray(from, from + 1_001));
  live.end();
  expect(text("stderr")).toBe(long);
  expect(written.some((line) => line.includes("more characters"))).toBe(false);
});

test("an answer is no output, and text that is none is", () => {
  const { live, text } = scene();
  live.add("stdout", encode(" \n"));
  live.add("stdout", encode('{"artefact_type": "A"'));
  live.add("stdout", encode("}\n"));
  live.end();
  expect(text("stdout")).toBe("");
  const other = scene();
  other.live.add("stdout", encode("compiling\n{}\n"));
  other.live.end();
  expect(other.text("stdout")).toBe("compiling\n{}\n");
});

test("a secret that comes in two parts is masked", () => {
  const { live, written, text } = scene("s3cr3t-value-of-the-agent");
  live.add("stderr", encode(`${"x".repeat(70_000)}\nthe token is s3cr3t-value`));
  live.add("stderr", encode("-of-the-agent, and goes on\n"));
  live.end();
  expect(text("stderr")).toEndWith("\nthe token is [secret token], and goes on\n");
  expect(written.join("")).not.toContain("s3cr3t");
});
