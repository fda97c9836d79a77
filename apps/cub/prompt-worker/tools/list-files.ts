// The tool that lists the workspace's files.
import { lstat } from "node:fs/promises";
import { z } from "zod";
import { pathOfBytes } from "../../../../lib/folders/folder-entries.ts";
import { showName } from "../../../../lib/git/run/file-name.ts";
import { failureLine, tryGit } from "../../../../lib/git/run/run-git.ts";
import { defineTool, output, type Tool } from "../tool.ts";
import type { Workspace } from "../workspace.ts";
import { pathspecsOf } from "./pathspecs.ts";

export const maxNames = 500;
const limits = { timeMs: 20_000, stdoutBytes: 64 * 1024 * 1024 };

export function listFilesTool({ root, git, isRepository }: Workspace): Tool {
  // Outside of a repository git has no list of files, but it searches them: each that has a line
  // matches the empty text.
  const command = isRepository
    ? ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    : ["grep", "--no-index", "--files-with-matches", "--null", "--text", "-e", "", "--"];
  return defineTool({
    name: "list_files",
    description: `Lists files of the workspace by name, without those that git ignores; at most ${maxNames} names.`,
    input: z.strictObject({
      glob: z
        .string()
        .optional()
        .describe(
          "Such as `src/**/*.ts`, `*.md` (in every folder) or `docs`. Without it: all files.",
        ),
    }),
    use: async ({ glob }, signal) => {
      const result = await tryGit(
        { ...git, limits },
        { args: [...command, ...pathspecsOf(glob, root)], cwd: root, encoding: "latin1" },
      );
      signal.throwIfAborted();
      if (result.limit !== undefined)
        return output(`The list is too long: ${result.limit}. Give a narrower glob.`);
      if (result.exitCode !== 0 && (isRepository || result.exitCode !== 1))
        return output(`The files cannot be listed: ${failureLine(result.stderr) ?? "git failed"}`);
      const names = [...new Set(result.stdout.split("\0"))].filter((name) => name !== "").sort();
      const shown: string[] = [];
      for (const name of names.slice(0, maxNames)) {
        // git lists a file that was removed until the removal is committed.
        if (
          !isRepository ||
          (await lstat(pathOfBytes(root, name)).catch(() => undefined)) !== undefined
        )
          shown.push(showName(name));
      }
      if (shown.length === 0)
        return output(`No file${glob === undefined ? "" : ` matches ${glob}`}.`);
      const rest =
        names.length > maxNames
          ? `\n[${names.length} files; the first ${maxNames} are shown. Give a narrower glob.]`
          : "";
      return output(`${shown.join("\n")}${rest}`);
    },
  });
}
