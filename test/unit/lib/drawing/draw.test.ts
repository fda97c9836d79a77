import { expect, test } from "bun:test";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { runDrawer } from "../../../../lib/drawing/draw.ts";

async function drawn(dot: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runDrawer({ stdin: Readable.from([dot]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, out, err };
}

test("DOT becomes SVG", async () => {
  expect(await drawn("digraph { a -> b }")).toEqual({
    code: 0,
    out: expect.stringMatching(/<svg[\s\S]*class="edge"/),
    err: "",
  });
});

test("what is no DOT is refused with the words of Graphviz", async () => {
  expect(await drawn("digraph {")).toEqual({
    code: 1,
    out: "",
    err: expect.stringContaining("syntax error"),
  });
});
