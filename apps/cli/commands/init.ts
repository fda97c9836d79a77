// sett init: writes a sett.yml and agents that work without changes.
import { initFiles, llmInitFiles } from "../../../lib/config/init-files.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { defineCommand } from "../program/command.ts";
import { isBare, workspaceRoot } from "../program/workspace-root.ts";
import { existing, writeFiles } from "../program/write-files.ts";

export const init = defineCommand({
  name: "init",
  description: "write a sett.yml and an example agent",
  details: "Writes into the current folder. Refuses if one of the files exists already.",
  args: {
    llm: {
      type: "boolean",
      description: "two agents that ask a language model: a coder and a reviewer",
    },
    force: { type: "boolean", description: "replace existing files" },
  },
  examples: ["sett init", "sett init --llm", "sett init --force  # write the same files again"],
  async run(args, shell) {
    const root = await workspaceRoot(shell.cwd);
    if (root !== undefined && (await isBare(root))) {
      throw new SettError("usage", `${root} is a bare repository, which has no files to write.`, {
        hint: "In a clone of it: sett init, commit, push. Then `sett up` here reads the sett.yml of HEAD.",
      });
    }
    const files = args.llm ? llmInitFiles() : initFiles();
    const present = await existing(shell.cwd, files);
    if (present.length > 0 && !args.force) {
      throw new SettError(
        "usage",
        `These files exist already, so nothing was written:\n${present.map((path) => `  ${path}`).join("\n")}`,
        {
          hint: `Move them to another place, or replace them: sett init${args.llm ? " --llm" : ""} --force`,
        },
      );
    }
    await writeFiles(shell.cwd, files);
    await shell.out.write(files.map(({ path }) => `${path}\n`).join(""));
    const begin = root === undefined ? "git init && " : "";
    shell.messages.next(
      `Agents see only committed files: ${begin}git add -A && git commit -m "Add a sett"`,
    );
    if (args.llm && !shell.env.ANTHROPIC_API_KEY) {
      shell.messages.next(
        "sett.yml takes the key of the model from your environment: export ANTHROPIC_API_KEY=…",
      );
    }
    shell.messages.next("Then: sett up");
    return;
  },
});
