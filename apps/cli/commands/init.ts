// sett init: writes a sett.yml and agents that work without changes.
import { join } from "node:path";
import { emptySettYml, keyVariable } from "../../../lib/config/add-agent.ts";
import { configSchemaText, schemaFile } from "../../../lib/config/config-schema.ts";
import { type InitFile, initFiles, llmInitFiles } from "../../../lib/config/init-files.ts";
import { lockedPackage } from "../../../lib/config/lock-findings.ts";
import { ownNames } from "../../../lib/config/own-packages.ts";
import { lockFile, lockText, type SettLock } from "../../../lib/config/sett-lock.ts";
import { kindOfUse } from "../../../lib/config/with-packages.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { additionOf } from "../additions/addition.ts";
import { seeImage } from "../additions/see-image.ts";
import { defineCommand } from "../program/command.ts";
import { isBare, namesBare, workspaceRoot } from "../program/workspace-root.ts";
import { existing, writeFiles } from "../program/write-files.ts";
import type { Shell } from "../terminal/shell.ts";

export const init = defineCommand({
  name: "init",
  description: "write a sett.yml and an example agent",
  details: "Writes into the current folder. Refuses if one of the files exists already.",
  args: {
    llm: {
      type: "boolean",
      description: "two agents that ask a language model: a coder and a reviewer",
    },
    agent: {
      type: "string",
      valueHint: "PACKAGE",
      description: "one ready agent: a name of `sett add --list`",
    },
    force: { type: "boolean", description: "replace existing files" },
  },
  examples: [
    "sett init",
    "sett init --llm",
    "sett init --agent claude-code",
    "sett init --force  # write the same files again",
  ],
  async run(args, shell) {
    const root = await workspaceRoot(shell.cwd);
    if (root !== undefined && (await isBare(root))) {
      throw new SettError("usage", `${root} is a bare repository, which has no files to write.`, {
        hint: "In a clone of it: sett init, commit, push. Then `sett up` here reads the sett.yml of HEAD.",
      });
    }
    // It refuses, and names the work trees.
    if (root !== undefined && (await namesBare(root)))
      await HostRepository.open(root, { env: shell.env, mayBeEmpty: true });
    const { agent: use } = args;
    if (use !== undefined && args.llm)
      throw new SettError("usage", "--llm and --agent exclude each other.", {
        hint: "Add the agent afterwards: sett init --llm, then sett add NAME",
      });
    const ready = use === undefined ? undefined : await readyInit(use, shell);
    const files = ready?.files ?? (args.llm ? llmInitFiles() : initFiles());
    const option = use !== undefined ? ` --agent ${use}` : args.llm ? " --llm" : "";
    const present = await existing(shell.cwd, files);
    if (present.length > 0 && !args.force) {
      throw new SettError(
        "usage",
        `These files exist already, so nothing was written:\n${present.map((path) => `  ${path}`).join("\n")}`,
        {
          hint: `Move them to another place, or replace them: sett init${option} --force`,
        },
      );
    }
    writeFiles(shell.cwd, files);
    await shell.out.write(files.map(({ path }) => `${path}\n`).join(""));
    const begin = root === undefined ? "git init && " : "";
    shell.messages.next(
      `Agents see only committed files: ${begin}git add -A && git commit -m "Add a sett"`,
    );
    const variable = ready?.variable ?? (args.llm ? "ANTHROPIC_API_KEY" : undefined);
    if (variable !== undefined && !shell.env[variable]) {
      shell.messages.next(
        `sett.yml takes the key of the model from your environment: export ${variable}=…`,
      );
    }
    shell.messages.next("Then: sett up");
    return;
  },
});

/** A sett.yml with this agent alone. Throws `usage` for what is no package. */
async function readyInit(
  use: string,
  shell: Shell,
): Promise<{ files: InitFile[]; variable: string | undefined }> {
  const isImage = kindOfUse(use, ownNames) === "image";
  const seen: SettLock = new Map(isImage ? [[use, await seeImage(use, shell)]] : []);
  const from = { text: emptySettYml, file: join(shell.cwd, "sett.yml"), lock: seen };
  const order = { use, as: undefined, model: undefined, copy: false };
  const { steps, known, newModel } = await additionOf(order, from, shell.env);
  const lock = lockText(new Map([[use, { ...seen.get(use), ...lockedPackage(known) }]]));
  const files = [
    { path: "sett.yml", content: steps.at(-1) ?? "", mode: 0o644 },
    { path: schemaFile, content: configSchemaText(), mode: 0o644 },
    { path: lockFile, content: lock, mode: 0o644 },
  ];
  return { files, variable: newModel && keyVariable(newModel.provider) };
}
