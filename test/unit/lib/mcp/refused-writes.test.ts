import { expect, test } from "bun:test";
import { refusedWrites } from "../../../../lib/mcp/refused-writes.ts";
import { allTools } from "../../../../lib/mcp/tools/all-tools.ts";

const call = (name: string, args?: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, ...(args === undefined ? {} : { arguments: args }) },
});
const refused = (body: unknown) =>
  refusedWrites(body, new Set(["read", "forage"])).map(({ tool, error }) => [
    tool,
    (error as { code: string }).code,
  ]);

test("a write without the right, or with wrong arguments, is refused", () => {
  expect(refused(call("cancel_goal", { goal: "1f0c2a77" }))).toEqual([
    ["cancel_goal", "not-allowed"],
  ]);
  expect(refused([call("post_goal", { text: "" }), call("post_goal")])).toEqual([
    ["post_goal", "usage"],
    ["post_goal", "usage"],
  ]);
});

test("each tool that writes is refused without its right, and said so", () => {
  const writing = allTools.filter(({ annotations }) => annotations.readOnlyHint !== true);
  expect(writing.map(({ name }) => name)).toContain("tell");
  const body = allTools.map(({ name }) => call(name, {}));
  expect(refusedWrites(body, new Set()).map(({ tool }) => tool)).toEqual(
    writing.map(({ name }) => name),
  );
});

test("what runs, only reads, or is no call is none", () => {
  expect(
    refused([
      call("post_goal", { text: "Write" }),
      call("read_goal", { goal: 7 }),
      call("nothing"),
    ]),
  ).toEqual([]);
  for (const body of [
    undefined,
    null,
    7,
    "text",
    { method: "tools/list" },
    { method: "tools/call", params: 7 },
  ])
    expect(refused(body)).toEqual([]);
});
