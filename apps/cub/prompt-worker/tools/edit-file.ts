// The tool that changes one place of a file.
import { type FileHandle, open, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../../../../lib/model/errors.ts";
import { defineTool, output, type Tool } from "../tool.ts";
import { placeOf, type Workspace } from "../workspace.ts";
import { nearestText } from "./nearest-text.ts";
import { isBinary, sizeText } from "./read-file.ts";

const maxBytes = 10_000_000;

export function editFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Replaces a text in a file of the workspace. `old` must be in the file exactly once, with its white space and line breaks: " +
      "otherwise nothing is changed, and the answer says why.",
    input: z.strictObject({
      path: z.string().min(1).describe("Relative to the workspace."),
      old: z
        .string()
        .min(1)
        .describe("The text to replace, with enough of the lines around it to be unique."),
      new: z.string().describe("The text in its place."),
    }),
    use: async ({ path, old, new: replacement }) => {
      const place = await placeOf(workspace, path, "write");
      if (!place.ok) return output(`${place.reason} Nothing was changed.`);
      const { shown } = place;
      // To open a named pipe is to wait for its writer.
      const found = await stat(place.path).catch(() => undefined);
      if (found !== undefined && !found.isFile()) return output(`${shown} is not a file.`);
      const file = await open(place.path, "r").catch(() => undefined);
      if (file === undefined)
        return output(
          `There is no file ${shown} that can be read. \`write_file\` makes new files.`,
        );
      try {
        const refusal = await refusalFor(file, shown);
        if (refusal !== undefined) return output(refusal);
        const text = await file.readFile("utf8");
        const places = countOf(text, old);
        if (places === 0) return output(`${notFound(text, old, shown)}\nNothing was changed.`);
        if (places > 1)
          return output(
            `The text is in ${shown} ${places} times. Nothing was changed: give more of the lines around the place that you mean.`,
          );
        if (old === replacement)
          return output("`old` and `new` are the same. Nothing was changed.");
        // A function, because `$&` in a replacement text has a meaning.
        await writeFile(
          place.path,
          text.replace(old, () => replacement),
        );
        return output(`Changed ${shown}.`);
      } catch (error) {
        return output(`${shown} cannot be changed: ${messageOf(error)}`);
      } finally {
        await file.close();
      }
    },
  });
}

async function refusalFor(file: FileHandle, shown: string): Promise<string | undefined> {
  const found = await file.stat();
  if (found.size > maxBytes)
    return `${shown} has ${sizeText(found.size)}, which is too much for this tool. Use \`run\`, for instance with sed.`;
  return (await isBinary(file))
    ? `${shown} is a binary file of ${sizeText(found.size)}: it cannot be edited as text.`
    : undefined;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}

function notFound(text: string, old: string, shown: string): string {
  const nearest = nearestText(text, old);
  if (nearest === undefined)
    return `The text is not in ${shown}, and nothing in it is like it. Read the file first.`;
  return `The text is not in ${shown}. The nearest to it begins in line ${nearest.line}:\n${nearest.text}`;
}
