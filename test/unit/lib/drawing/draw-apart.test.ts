import { expect, test } from "bun:test";
import { drawApart } from "../../../../lib/drawing/draw-apart.ts";
import { errorOf } from "../../../support/error-of.ts";

const drawing = (script: string, timeoutMs = 60_000, signal?: AbortSignal) =>
  drawApart("digraph {}", { command: ["/bin/sh", "-c", script], cwd: "/", timeoutMs }, signal);

test("the picture is what the program prints", async () => {
  expect(await drawing('read line; echo "<svg>$line"')).toBe("<svg>digraph {}\n");
});

test("a failure says why, and how else to get the graph", async () => {
  const hint = expect.stringContaining("`dot`");
  const failed = await errorOf(drawing("echo 'out of ink' >&2; exit 3"));
  expect(failed).toMatchObject({
    code: "drawing-failed",
    message: "The picture cannot be drawn: out of ink",
    hint,
  });
  const message = "The graph is too large for a picture: it was not drawn within 0.05 s.";
  expect(await errorOf(drawing("exec sleep 60", 50))).toMatchObject({
    code: "drawing-failed",
    message,
    hint,
  });
});

test("an interrupted drawing ends", async () => {
  expect(await errorOf(drawing("exec sleep 60", 60_000, AbortSignal.timeout(50)))).toMatchObject({
    code: "interrupted",
  });
});
