// sett init: a sett.yml and an agent that work with no edit.
import { initFiles } from "../../../lib/config/init-files.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { defineCommand } from "../program/command.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { existing, writeFiles } from "../program/write-files.ts";

export const init = defineCommand({
  name: "init",
  description: "write a sett.yml and an example agent",
  details: "Writes into the current folder, and only what is not there yet.",
  args: { force: { type: "boolean", description: "replace files that are there" } },
  examples: ["sett init", "sett init --force  # the same files once more, as they were"],
  async run(args, shell) {
    const files = initFiles();
    const there = await existing(shell.cwd, files);
    if (there.length > 0 && !args.force) {
      throw new SettError(
        "usage",
        `These files are here already, so nothing was written:\n${there.map((path) => `  ${path}`).join("\n")}`,
        {
          hint: "Move them away, or replace them: sett init --force",
        },
      );
    }
    await writeFiles(shell.cwd, files);
    await shell.out.write(files.map(({ path }) => `${path}\n`).join(""));
    const begin = (await workspaceRoot(shell.cwd)) === undefined ? "git init && " : "";
    shell.messages.next(`Agents see what is committed: ${begin}git add -A && git commit -m "Add a sett"`);
    shell.messages.next("Then: sett up");
    return;
  },
});
