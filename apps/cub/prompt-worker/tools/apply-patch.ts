// The tool that applies a patch of one or several files: all of it, or nothing.
import { z } from "zod";
import { clauseOf } from "../../../../lib/model/errors.ts";
import { applyHunks } from "../patch/apply-hunks.ts";
import { Draft } from "../patch/draft.ts";
import type { FileChange } from "../patch/file-change.ts";
import { parsePatch } from "../patch/parse-patch.ts";
import { defineTool, output, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { bytesFor, encodingProblem } from "./text-file.ts";

/** What a change has made, in words for the model, or a sentence that says why it cannot be. */
type Made = { made: string } | { problem: string };

export function applyPatchTool(workspace: Workspace): Tool {
  return defineTool({
    name: "apply_patch",
    description:
      "Applies a patch of one or several files: all of it, or nothing, and then the answer says which hunk does not fit and what is there. " +
      "The patch is a unified diff, or has this form:\n" +
      "*** Begin Patch\n*** Update File: PATH\n@@ a line above, such as the head of a function\n unchanged line\n-line that goes\n+line that comes\n*** Add File: PATH\n+each line\n*** Delete File: PATH\n*** End Patch\n" +
      "`*** Move to: PATH` below `*** Update File` gives the file a new name. Give about three unchanged lines around each change, as they are in the file, without line numbers.",
    input: z.strictObject({ patch: z.string().min(1) }),
    use: async ({ patch }) => {
      const parsed = parsePatch(patch);
      if ("problem" in parsed) return output(`${parsed.problem} Nothing was changed.`);
      const draft = new Draft(workspace);
      const made: string[] = [];
      for (const change of parsed.changes) {
        const one = await make(draft, change);
        if ("problem" in one) return output(`${one.problem}\nNothing was changed, in no file.`);
        made.push(one.made);
      }
      try {
        await draft.write();
      } catch (error) {
        return output(
          `The patch fits, but cannot be written: ${clauseOf(error)}. Nothing was changed.`,
        );
      }
      return output(made.join("\n"));
    },
  });
}

async function make(draft: Draft, change: FileChange): Promise<Made> {
  switch (change.kind) {
    case "add": {
      const { path, content, isExecutable } = change;
      const place = await draft.add(path, bytesFor({ lineBreak: "\n" }, content), isExecutable);
      return "problem" in place ? place : { made: `Added ${place.shown}.` };
    }
    case "delete":
      return await remove(draft, change);
    default:
      return await update(draft, change);
  }
}

/** A file that has changed since is not deleted. */
async function remove(
  draft: Draft,
  { path, hunks }: Extract<FileChange, { kind: "delete" }>,
): Promise<Made> {
  if (hunks.length > 0) {
    const file = await draft.read(path);
    if ("problem" in file) return file;
    const applied = applyHunks(file, hunks);
    if ("problem" in applied) return { problem: `${file.place.shown}: ${applied.problem}` };
    if (applied.text !== "")
      return {
        problem: `${file.place.shown} has more than what the patch deletes. \`*** Delete File\` deletes all of it.`,
      };
  }
  const place = await draft.delete(path);
  return "problem" in place ? place : { made: `Deleted ${place.shown}.` };
}

async function update(
  draft: Draft,
  { path, to, hunks, isExecutable }: Extract<FileChange, { kind: "update" }>,
): Promise<Made> {
  const file = await draft.read(path);
  if ("problem" in file) return file;
  const { shown } = file.place;
  const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "new"));
  const encoding = encodingProblem(file, added.map(({ text }) => text).join("\n"));
  if (encoding !== undefined) return { problem: encoding };
  const applied = applyHunks(file, hunks);
  if ("problem" in applied) return { problem: `${shown}: ${applied.problem}` };
  if (applied.text === file.text && to === undefined && isExecutable === undefined)
    return { problem: `The patch changes nothing in ${shown}.` };
  draft.change(file, applied.text, isExecutable);
  const { lines } = applied;
  const where =
    lines.length === 0 ? "" : ` at line${lines.length > 1 ? "s" : ""} ${lines.join(", ")}`;
  if (to === undefined) return { made: `Changed ${shown}${where}.` };
  const place = await draft.move(file, path, to);
  if ("problem" in place) return place;
  return place.shown === shown
    ? { made: `Changed ${shown}${where}.` }
    : { made: `Moved ${shown} to ${place.shown}${where === "" ? "" : `, changed${where}`}.` };
}
