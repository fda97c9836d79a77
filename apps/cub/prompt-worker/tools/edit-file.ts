// The tool that changes one place of a file, or each that has the same text.
import { z } from "zod";
import { messageOf } from "../../../../lib/model/errors.ts";
import { defineTool, output, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { differenceOf } from "./difference.ts";
import { nearestText } from "./nearest-text.ts";
import {
  bytesFor,
  encodingProblem,
  readTextFile,
  type TextFile,
  wordsOf,
  writeTextFile,
} from "./text-file.ts";

const maxPlaces = 10;

export function editFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Replaces a text in a file of the workspace. `old` must be in the file exactly once, with its white space and line breaks, and without line numbers: " +
      "otherwise nothing is changed, and the answer says why.",
    input: z.strictObject({
      path: z.string().min(1).describe("Relative to the workspace."),
      old: z
        .string()
        .min(1)
        .describe("The text to replace, with enough of the lines around it to be unique."),
      new: z.string().describe("The text in its place."),
      all: z.boolean().default(false).describe("Replace each, where it is there several times."),
    }),
    use: async ({ path, old, new: replacement, all }) => {
      const read = await readTextFile(workspace, path);
      if (!read.ok) return output(`${read.reason} Nothing was changed.`);
      const { file } = read;
      const { shown } = file.place;
      const [wanted, wordsBetween] = [bytesFor(file, old), bytesFor(file, replacement)];
      const places = placesOf(file.text, wanted);
      const refusal = refusalFor({ file, old, replacement, places, all });
      if (refusal !== undefined) return output(`${refusal} Nothing was changed.`);
      try {
        await writeTextFile(file, file.text.split(wanted).join(wordsBetween));
        return output(`Changed ${shown} in ${lines(file.text, places)}.`);
      } catch (error) {
        return output(`${shown} cannot be changed: ${messageOf(error)}`);
      }
    },
  });
}

function refusalFor(edit: {
  file: TextFile;
  old: string;
  replacement: string;
  places: readonly number[];
  all: boolean;
}): string | undefined {
  const { file, old, replacement, places, all } = edit;
  if (places.length === 0) return notFound(file, old);
  if (places.length > 1 && !all)
    return `The text is in ${file.place.shown} ${places.length} times, in ${lines(file.text, places)}: give more of the lines around the place that you mean, or \`all\` for each of them.`;
  if (old === replacement) return "`old` and `new` are the same.";
  return encodingProblem(file, replacement);
}

/** Overlapping ones count: which of them is meant, is not known. */
function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

function lines(text: string, places: readonly number[]): string {
  const numbers = places.slice(0, maxPlaces).map((at) => text.slice(0, at).split("\n").length);
  const unique = [...new Set(numbers)];
  const more = places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : "";
  return `line${unique.length > 1 ? "s" : ""} ${unique.join(", ")}${more}`;
}

function notFound({ text, place: { shown } }: TextFile, old: string): string {
  const words = wordsOf(text);
  const numbered = old.replace(/^\d+: ?/gm, "");
  if (numbered !== old && words.includes(numbered))
    return `The text is not in ${shown}: \`old\` has line numbers, which only \`read_file\` shows.`;
  const nearest = nearestText(words, old);
  if (nearest === undefined)
    return `The text is not in ${shown}, and nothing in it is like it. Read the file first.`;
  return `The text is not in ${shown}. The nearest to it begins in line ${nearest.line}:\n${nearest.text}\n${differenceOf(nearest, old)}`;
}
