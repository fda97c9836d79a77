// One tool of the built-in worker, used as the model does, in a folder of the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Tool, ToolEnd } from "../../../apps/cub/prompt-worker/tool.ts";
import { openWorkspace, type Workspace } from "../../../apps/cub/prompt-worker/workspace.ts";

/**
 * A workspace with these files, in a repository unless `isRepository` is false. Nothing is
 * committed.
 */
export async function toolScene(
  files: Record<string, string | Uint8Array> = {},
  { isRepository = true } = {},
) {
  const outer = mkdtempSync(join(tmpdir(), "sett-tool-"));
  const folder = join(outer, "workspace");
  mkdirSync(folder);
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  // No repository of the machine is found from here.
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: outer,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CEILING_DIRECTORIES: outer,
  };
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: folder, env })
      .stdout.toString()
      .trim();
  if (isRepository) git("init", "--quiet");
  const workspace: Workspace = await openWorkspace(folder, { path: "git", env });
  return {
    outer,
    folder,
    workspace,
    env,
    git,
    write,
    [Symbol.dispose]: () => rmSync(outer, { recursive: true, force: true }),
  };
}

/** Returns what the model reads. */
export async function textFrom(
  tool: Tool,
  input: unknown,
  signal = new AbortController().signal,
): Promise<string> {
  const end: ToolEnd = await tool.use(input, signal);
  if (end.kind === "ended")
    throw new Error(`The tool ended the work: ${JSON.stringify(end.answer)}`);
  return end.text;
}
