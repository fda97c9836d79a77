// Reads the prompts that sett.yml takes from files.
import { readFile, stat } from "node:fs/promises";
import type { SettConfig } from "../model/config.ts";
import { maxInlineBytes, maxPromptBytes, promptProblem } from "../model/config-prompts.ts";
import { messageOf } from "../model/errors.ts";
import { bytesOf } from "../model/exec-limits.ts";
import type { NamedPlace } from "./parse-config.ts";
import type { ConfigProblem } from "./problems.ts";

type PromptPlace = Extract<NamedPlace, { kind: "prompt" }>;

/** Puts the texts into the configuration. Resolves with the mistakes. */
export async function readPrompts(
  places: readonly NamedPlace[],
  config: SettConfig | undefined,
): Promise<ConfigProblem[]> {
  const prompts = places.filter((place) => place.kind === "prompt");
  const read = await Promise.all(
    prompts.map(async (place) => ({ place, text: await textOf(place) })),
  );
  for (const { place, text } of read) {
    const agent = config?.agents.find(({ name }) => String(name) === place.agent);
    if (agent !== undefined && typeof text === "string") agent.prompts[place.key] = text;
  }
  return read.flatMap(({ place, text }) => {
    if (typeof text !== "string") return [text];
    const agent = config?.agents.find(({ name }) => String(name) === place.agent);
    const isForCommand = place.key === "execution" && (agent?.command.length ?? 0) > 0;
    return isForCommand && bytesOf(text) > maxInlineBytes
      ? [place.problemAt(tooLongForCommand)]
      : [];
  });
}

const tooLongForCommand =
  "names a text of more than 100 KiB, which the variable of a command cannot have: let the `command` read the file itself";

async function textOf({ file, problemAt }: PromptPlace): Promise<string | ConfigProblem> {
  try {
    const found = await stat(file);
    // A pipe or a device would have no end.
    if (!found.isFile()) return problemAt(`names ${file}, which is no file`);
    if (found.size > maxPromptBytes) return problemAt(`names ${file}, which is longer than 1 MiB`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
    const problem = promptProblem(text);
    return problem === undefined ? text : problemAt(`names ${file}, whose text ${problem}`);
  } catch (error) {
    const isText = !(error instanceof TypeError);
    return problemAt(
      isText ? `cannot be read: ${messageOf(error)}` : `names ${file}, which is not UTF-8 text`,
    );
  }
}
