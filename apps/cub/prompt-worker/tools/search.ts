// The tool that searches the workspace's files with a regular expression. git does it, in a process
// that can be ended: an expression that takes for ever costs its time limit and no more.
import { z } from "zod";
import { showName } from "../../../../lib/git/run/file-name.ts";
import { failureLine, tryGit } from "../../../../lib/git/run/run-git.ts";
import { defineTool, output, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { pathspecsOf } from "./pathspecs.ts";

const maxLines = 200;
const maxPerFile = 30;
const maxLineLength = 300;
const maxContext = 20;
const limits = { timeMs: 10_000, stdoutBytes: 4 * 1024 * 1024 };

export function searchTool({ root, git, isRepository }: Workspace): Tool {
  const source = isRepository ? "--untracked" : "--no-index";
  return defineTool({
    name: "search",
    description:
      "Searches the text files of the workspace, without those that git ignores, for a regular expression (Perl's syntax), line by line. " +
      `Returns file, line number and line; at most ${maxLines} lines and ${maxPerFile} of one file. The time is limited.`,
    input: z.strictObject({
      pattern: z.string().min(1),
      glob: z
        .string()
        .optional()
        .describe("Search only these files: `src/**/*.ts`, `*.md` (in every folder) or `docs`."),
      ignore_case: z.boolean().default(false),
      context: z
        .int()
        .min(0)
        .max(maxContext)
        .default(0)
        .describe("How many lines before and after each are shown."),
    }),
    use: async ({ pattern, glob, ignore_case, context }, signal) => {
      const flags = [
        "--line-number",
        "--null",
        "-I",
        "--perl-regexp",
        "--no-color",
        `--max-count=${maxPerFile}`,
        ...(ignore_case ? ["--ignore-case"] : []),
        ...(context > 0 ? [`--context=${context}`] : []),
      ];
      const args = ["grep", source, ...flags, "-e", pattern, "--", ...pathspecsOf(glob, root)];
      const result = await tryGit({ ...git, limits }, { args, cwd: root, encoding: "latin1" });
      signal.throwIfAborted();
      if (result.exitCode !== null && result.exitCode > 1)
        return output(`The search failed: ${failureLine(result.stderr) ?? "git grep failed"}`);
      const lines = linesIn(result.stdout);
      if (lines.length === 0)
        return output(
          result.limit === undefined
            ? "No line matches."
            : `No line was found: ${reasonOf(result.limit)}`,
        );
      const shown = lines
        .slice(0, maxLines)
        .map((line) =>
          line.length > maxLineLength ? `${line.slice(0, maxLineLength).toWellFormed()}…` : line,
        );
      const notices = [
        ...(result.limit === undefined ? [] : [`[not all: ${reasonOf(result.limit)}]`]),
        ...(lines.length > maxLines
          ? [
              `[the first ${maxLines} lines of ${result.limit === undefined ? lines.length : "many"}; give a narrower pattern or a glob]`,
            ]
          : []),
      ];
      return output([...shown, ...notices].join("\n"));
    },
  });
}

/**
 * `NAME NUL NUMBER:LINE`, all in latin1: a name may have line breaks. With context, `--` is between
 * lines that do not follow each other.
 */
function linesIn(found: string): string[] {
  const lines: string[] = [];
  for (const [, gap, name = "", number = "", line = ""] of found.matchAll(
    /(--\n)?([^\0]+)\0(\d+)[:\0]([^\n]*)(?:\n|$)/g,
  ))
    lines.push(
      ...(gap === undefined ? [] : ["--"]),
      `${showName(name)}:${number}:${Buffer.from(line, "latin1").toString("utf8")}`,
    );
  return lines;
}

function reasonOf(limit: string): string {
  return limit.includes("did not end")
    ? `the search was ended after ${limits.timeMs / 1_000} s. Give a simpler pattern or a glob.`
    : "the search was ended because it found too much. Give a narrower pattern or a glob.";
}
