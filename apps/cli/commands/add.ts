// sett add: writes an agent that is a package into sett.yml.
import { rmSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { changedLines } from "../../../lib/client/text/changed-lines.ts";
import { keyVariable } from "../../../lib/config/add-agent.ts";
import { lockOf } from "../../../lib/config/lock-findings.ts";
import { ownNames } from "../../../lib/config/own-packages.ts";
import { formatProblem, invalidConfig } from "../../../lib/config/problems.ts";
import { type CheckedConfig, checkText, readConfigText } from "../../../lib/config/read-config.ts";
import { readPackage, usesIn } from "../../../lib/config/read-packages.ts";
import { lockFile, lockText, type SettLock } from "../../../lib/config/sett-lock.ts";
import { kindOfUse, rightLines, rightsOf } from "../../../lib/config/with-packages.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { PackageApi } from "../../../lib/model/package.ts";
import { providers } from "../../../lib/models/providers.ts";
import { type Addition, additionOf } from "../additions/addition.ts";
import { seeImage } from "../additions/see-image.ts";
import { fileArgument, jsonArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { findConfig, lacksConfig } from "../program/config-path.ts";
import { writeFiles } from "../program/write-files.ts";
import { table } from "../render/table.ts";
import { confirm } from "../terminal/confirm.ts";
import type { Shell } from "../terminal/shell.ts";

export const add = defineCommand({
  name: "add",
  description: "write a ready agent into sett.yml",
  details: [
    "A package is one of Sett's own (--list), a folder with an agent.yml, or an image with one. Shows what would change in",
    "sett.yml, and asks before it writes. What the package may do is written out, so that it can be changed. What the",
    `package is goes into ${lockFile}, to be committed as well.`,
  ].join("\n"),
  args: {
    package: { type: "positional", required: false, description: "the package" },
    as: {
      type: "string",
      valueHint: "NAME",
      description: "the agent's name (default: the package's)",
    },
    model: { type: "string", valueHint: "MODEL", description: "a name in `models` of sett.yml" },
    copy: {
      type: "boolean",
      description: "copy the package's folder to agents/NAME, to change it",
    },
    yes: { type: "boolean", description: "write without asking" },
    list: { type: "boolean", description: "list Sett's own packages" },
    file: fileArgument,
    json: jsonArgument,
  },
  examples: [
    "sett add --list",
    "sett add claude-code",
    "sett add opencode --as second --model cheap",
    "sett add claude-code --copy  # to install what your tests need",
    "sett add ./agents/linter",
    "sett add registry.example.org/team/linter:2",
  ],
  async run(args, shell) {
    if (args.list) return await list(args.json, shell);
    const { package: use } = args;
    if (use === undefined)
      throw new SettError("usage", "Which package?", { hint: "Sett's own: sett add --list" });
    if (await lacksConfig(shell.cwd, args.file))
      throw new SettError("config-missing", "There is no sett.yml yet.", {
        hint: ownNames.includes(use)
          ? `Write one with this agent: sett init --agent ${use}`
          : "Write one: sett init",
      });
    const { file, from } = await findConfig(shell, args.file);
    if (from !== undefined)
      throw new SettError("usage", "This is a bare repository, which has no files to write.", {
        hint: `In a clone of it: sett add ${use}, commit, push.`,
      });
    const path = resolve(shell.cwd, file);
    const text = await readConfigText(path);
    const folder = dirname(path);
    const named = /^[./]/.test(use) ? pathFrom(folder, resolve(shell.cwd, use)) : use;
    const isImage = kindOfUse(named, ownNames) === "image";
    const seen: SettLock = new Map(isImage ? [[named, await seeImage(named, shell)]] : []);
    const checked = await checkText(text, path, shell.env, { ...unchanged, name: file, seen });
    const isNamed = isImage && args.as === undefined && usesIn(text).includes(named);
    if (isNamed) return await seeAgain(named, { checked, folder, file }, shell);
    if (checked.mistakes.length > 0) throw invalidConfig(file, checked.mistakes);
    const { lock } = checked.packages;
    const order = { ...args, use: named };
    const addition = await additionOf(order, { text, file: path, lock }, shell.env);
    await show(addition, { text, file }, shell);
    if (shell.isInteractive && !args.yes && !(await confirm(shell, "Write this?")))
      throw new SettError("interrupted", "Nothing was written.");
    if ((await readConfigText(path)) !== text)
      throw new SettError("usage", `${file} has changed meanwhile, so nothing was written.`, {
        hint: `Once more: sett add ${use}`,
      });
    await writeAddition(addition, { file: path, seen }, shell);
    shell.messages.done(`${file} has the agent ${addition.name}.`);
    sayNext(addition, shell);
    return undefined;
  },
});

/** Keys are for `sett up`. */
const unchanged = { withoutKeys: true };

/** An image that sett.yml names already: sett.lock alone gets what it is now. */
async function seeAgain(
  use: string,
  { checked, folder, file }: { checked: CheckedConfig; folder: string; file: string },
  { messages }: Shell,
): Promise<undefined> {
  const { packages, unlocked, mistakes } = checked;
  // A new file would lose what this one has of other images.
  if (packages.problem !== undefined) throw invalidConfig(file, mistakes);
  for (const problem of [...unlocked, ...mistakes]) messages.warn(formatProblem(problem));
  const text = lockText(lockOf(packages));
  writeFiles(folder, [{ path: lockFile, content: text, mode: 0o644 }]);
  messages.done(`${lockFile} has ${use} as it is now (${packages.lock.get(use)?.digest}).`);
  return undefined;
}

async function list(isJson: boolean, shell: Shell): Promise<undefined> {
  const rows = await Promise.all(
    ownNames.map(async (name) => {
      const known = await readPackage(name, shell.cwd, new Map());
      if ("problem" in known) throw new Error(`${name} ${known.problem}`);
      const { about } = known.file;
      return { name, about, asks: rightsOf(known.file), digest: known.digest };
    }),
  );
  if (isJson) {
    await shell.out.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return undefined;
  }
  const cells = rows.map(({ name, about, asks: { model } }) =>
    [name, apiText(model), about].map((text) => ({ text })),
  );
  const lines = table(["PACKAGE", "MODEL", "IS"], cells, shell.out.style, shell.out.columns);
  await shell.out.write(`${lines.join("\n")}\n`);
  return undefined;
}

function sayNext({ newModel }: Pick<Addition, "newModel">, { env, messages }: Shell): void {
  const variable = newModel && keyVariable(newModel.provider);
  if (variable !== undefined && !env[variable])
    messages.next(
      `sett.yml takes the key of the model from your environment: export ${variable}=…`,
    );
  messages.next(`Agents see only committed files: git add -A && git commit -m "Add an agent"`);
  messages.next("Then: sett up");
}

function apiText(api: PackageApi | undefined): string {
  return api === undefined ? "none" : api === "any" ? "any" : providers[api].label;
}

function pathFrom(folder: string, path: string): string {
  const short = relative(folder, path);
  return short.startsWith("..") ? path : `./${short}`;
}

async function show(
  { steps, copied, known }: Addition,
  { text, file }: { text: string; file: string },
  { err, messages }: Shell,
): Promise<void> {
  messages.note(`${known.file.about} (${known.digest.slice(0, 19)}…)`);
  const asks = Object.values(rightLines(rightsOf(known.file))).filter((line) => line !== undefined);
  if (asks.length > 0)
    messages.note(`It asks for ${asks.map((line) => `\`${line}\``).join(", ")}.`);
  let before = text;
  for (const after of steps) {
    const { line, removed, added } = changedLines(before, after);
    const lines = [
      `${file}:${line}`,
      ...removed.map((each) => err.style.red(`- ${each}`)),
      ...added.map((each) => err.style.green(`+ ${each}`)),
    ];
    await err.write(`${lines.join("\n")}\n`);
    before = after;
  }
  for (const { path } of copied) await err.write(`${err.style.green(`+ ${path}`)}\n`);
}

/** Writes all of it or nothing. Throws `config-invalid` and `command-failed`. */
async function writeAddition(
  { steps, copied }: Addition,
  { file, seen }: { file: string; seen: SettLock },
  shell: Shell,
): Promise<void> {
  const folder = dirname(file);
  const text = steps.at(-1) ?? "";
  const discard = () => {
    for (const { path } of copied) rmSync(join(folder, path), { force: true });
  };
  writeFiles(folder, copied);
  // An interruption ends the program while the files are read again.
  process.once("exit", discard);
  try {
    const checked = await checkText(text, file, shell.env, { ...unchanged, seen });
    if (checked.mistakes.length > 0) throw invalidConfig(file, checked.mistakes);
    const real = await realpath(file);
    const mode = (await stat(real)).mode & 0o777;
    writeFiles(folder, [
      { path: relative(folder, real), content: text, mode },
      { path: lockFile, content: lockText(lockOf(checked.packages)), mode: 0o644 },
    ]);
  } catch (error) {
    discard();
    throw error;
  } finally {
    process.off("exit", discard);
  }
}
