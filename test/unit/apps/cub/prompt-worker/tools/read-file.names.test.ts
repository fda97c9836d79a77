// A name that one tool gives is taken by each other one, whatever bytes it has.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { applyPatchTool } from "../../../../../../apps/cub/prompt-worker/tools/apply-patch.ts";
import { editFileTool } from "../../../../../../apps/cub/prompt-worker/tools/edit-file.ts";
import { listFilesTool } from "../../../../../../apps/cub/prompt-worker/tools/list-files.ts";
import { readFileTool } from "../../../../../../apps/cub/prompt-worker/tools/read-file.ts";
import { searchTool } from "../../../../../../apps/cub/prompt-worker/tools/search.ts";
import { writeFileTool } from "../../../../../../apps/cub/prompt-worker/tools/write-file.ts";
import { pathOfBytes } from "../../../../../../lib/folders/folder-entries.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";

const byte = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
const piece = fc.oneof(
  byte,
  fc.constantFrom(
    '"',
    "\\",
    "\n",
    "\t",
    "*",
    "[",
    "?",
    " ",
    ":",
    "\\351",
    "\xc3\xa9",
    "\xff",
    "-",
    "!",
    "]",
  ),
  fc.constantFrom("\xc2\xa0", "e\xcc\x81", "{a,b}", "$x", "~", "'"),
);
/** In latin1; git refuses nothing of it, and `.` and `..` are no names of files. */
const name = fc
  .array(piece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join("").replaceAll("/", "_"))
  .filter((text) => !/^\.{1,2}$/.test(text));

test.each([true, false])(
  "each tool gives and takes the same name; in a repository: %p",
  async (isRepository) => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), async (names) => {
        using scene = await toolScene({}, { isRepository });
        const { workspace } = scene;
        for (const [at, one] of names.entries())
          writeFileSync(pathOfBytes(scene.folder, one), `needle ${at}\n`);
        const listed = (await textFrom(listFilesTool(workspace), {})).split("\n");
        expect(listed).toHaveLength(names.length);
        const found = await textFrom(searchTool(workspace), { pattern: "needle" });
        for (const shown of listed) {
          const read = await textFrom(readFileTool(workspace), { path: shown });
          const text = read.slice("1: ".length);
          const at = Number(text.slice("needle ".length));
          expect(found.split("\n")).toContain(`${shown}:1:${text}`);
          expect((await textFrom(listFilesTool(workspace), { glob: shown })).split("\n")).toContain(
            shown,
          );
          expect(
            await textFrom(editFileTool(workspace), { path: shown, old: "needle", new: "found" }),
          ).toBe(`Changed ${shown} in line 1.`);
          const patch = `*** Begin Patch\n*** Update File: ${shown}\n@@\n-found ${at}\n+patched\n*** End Patch`;
          expect(await textFrom(applyPatchTool(workspace), { patch })).toBe(
            `Changed ${shown} at line 1.`,
          );
          expect(
            await textFrom(writeFileTool(workspace), { path: shown, content: `new ${at}` }),
          ).toBe(`Wrote ${shown}.`);
          expect(readFileSync(pathOfBytes(scene.folder, names[at] ?? ""), "utf8")).toBe(
            `new ${at}`,
          );
        }
      }),
      { numRuns: 15 },
    );
  },
  120_000,
);
