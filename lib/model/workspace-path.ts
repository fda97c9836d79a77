// A path of `workspace.paths`: which part of the repository an agent works in. How such paths are
// read: lib/git/copy/sparse-paths.ts.
import { z } from "zod";
import { bytesOf, maxStringBytes } from "./exec-limits.ts";

const maxPaths = 200;
const maxPathBytes = 1_000;

/** The first rule that a path breaks gives the sentence. */
const rules: readonly [
  isBroken: (path: string) => boolean,
  sentence: string | ((words: Sentences) => string),
][] = [
  [(path) => path === "", "must not be empty"],
  [
    (path) => path.startsWith("/"),
    "must not begin with `/`: it counts from the top of the repository as it is",
  ],
  [
    (path) => path.startsWith("!"),
    ({ negated }) => `must not begin with \`!\`: ${negated}, all else is left out`,
  ],
  [
    (path) => path.includes("\\"),
    "must not have `\\`: folders end with `/`, and all characters but `*` and `?` mean themselves",
  ],
  [
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    (path) => /[\u0000-\u001f\u007f]/.test(path),
    "must not have control characters",
  ],
  [
    (path) => partsOf(path).some((part) => part === "" || part === "." || part === ".."),
    "must not have `.`, `..` or nothing for a folder: without `paths` the agent gets all files",
  ],
  [
    (path) => partsOf(path).some((part) => part.toLowerCase() === ".git"),
    "must not name `.git`, which is in no commit",
  ],
  [(path) => bytesOf(path) > maxPathBytes, `must not be longer than ${maxPathBytes} bytes`],
];

function partsOf(path: string): string[] {
  return path.replace(/\/$/, "").split("/");
}

/** The sentence about what is to be written instead. */
type Sentences = { negated: string };

/** The sentence of the first rule that the path breaks. */
export function brokenPathRule(path: string, words: Sentences): string | undefined {
  const [, sentence] = rules.find(([isBroken]) => isBroken(path)) ?? [];
  return typeof sentence === "function" ? sentence(words) : sentence;
}

export const WorkspacePath = z
  .string({ error: 'must be text, such as "services/door/"' })
  .superRefine((path, context) => {
    const message = brokenPathRule(path, { negated: "list what the agent works in" });
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

export const WorkspacePaths = z
  .array(WorkspacePath, {
    error: ({ input }) =>
      typeof input === "string" ? 'must be a list: `["services/door/", "*.md"]`' : undefined,
  })
  .min(1, { error: "must not be empty: without `paths` the agent gets all files" })
  .max(maxPaths)
  // The cub gets them as one variable.
  .refine((paths) => bytesOf(JSON.stringify(paths)) <= maxStringBytes - 64, {
    error: "must not be longer than 128 KiB as a whole",
  });
