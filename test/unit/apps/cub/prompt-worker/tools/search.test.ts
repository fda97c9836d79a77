import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { searchTool } from "../../../../../../apps/cub/prompt-worker/tools/search.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";

test("a search shows file, line number and line, by Perl's syntax", async () => {
  using scene = await toolScene({
    "a.ts": "one\nsum(1, 2)\n",
    "b/c.md": "Sum(3)\n",
    "b/d.bin": new Uint8Array([115, 117, 109, 0]),
  });
  const tool = searchTool(scene.workspace);
  expect(await textFrom(tool, { pattern: "\\bsum\\(\\d" })).toBe("a.ts:2:sum(1, 2)");
  expect(await textFrom(tool, { pattern: "sum\\(\\d", ignore_case: true })).toBe(
    "a.ts:2:sum(1, 2)\nb/c.md:1:Sum(3)",
  );
  expect(await textFrom(tool, { pattern: "sum\\(\\d", ignore_case: true, glob: "*.md" })).toBe(
    "b/c.md:1:Sum(3)",
  );
  expect(await textFrom(tool, { pattern: "nothing here" })).toBe("No line matches.");
  expect(await textFrom(tool, { pattern: "-e" })).toBe("No line matches.");
  expect(await textFrom(tool, { pattern: "(" })).toStartWith("The search failed: ");
});

test("with context the lines around are shown, with a mark between what does not follow", async () => {
  using scene = await toolScene({ "a.txt": "1\n2\nx\n4\n5\n6\n7\n8\nx\n", "b.txt": "x\n" });
  const tool = searchTool(scene.workspace);
  expect(await textFrom(tool, { pattern: "x", context: 1 })).toBe(
    "a.txt:2:2\na.txt:3:x\na.txt:4:4\n--\na.txt:8:8\na.txt:9:x\n--\nb.txt:1:x",
  );
});

test("long lines are cut, and one file gives at most 30", async () => {
  using scene = await toolScene(
    { "wide.txt": `needle${"x".repeat(1_000_000)}\n`, "many.txt": "needle\n".repeat(1_000) },
    { isRepository: false },
  );
  const lines = (await textFrom(searchTool(scene.workspace), { pattern: "needle" })).split("\n");
  expect(lines.filter((line) => line.startsWith("many.txt:"))).toHaveLength(30);
  expect(lines.find((line) => line.startsWith("wide.txt:"))?.length).toBe(301);
});

test("an expression that backtracks for ever ends at its limit", async () => {
  using scene = await toolScene({ "a.txt": `${"a".repeat(40_000)}!\n` });
  const text = await textFrom(searchTool(scene.workspace), { pattern: "^(a+)+(b+|(a+)+)+$" });
  expect(text).toMatch(/^(?:The search failed|No line)/);
}, 120_000);

test("a file of 200 MB does not stop a search", async () => {
  using scene = await toolScene({ "zeros.bin": "", "a.txt": "needle\n" });
  truncateSync(join(scene.folder, "zeros.bin"), 200_000_000);
  // On a machine under load its time may be over: what was found is there all the same.
  const text = await textFrom(searchTool(scene.workspace), { pattern: "needle" });
  expect(text.split("\n")[0]).toBe("a.txt:1:needle");
}, 120_000);
