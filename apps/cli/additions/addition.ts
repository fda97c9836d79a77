// Says what `sett add` would write: the sett.yml with one more agent, and with `--copy` the
// package's folder.
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { addAgent, providerFor } from "../../../lib/config/add-agent.ts";
import { ownNames, ownPackages } from "../../../lib/config/own-packages.ts";
import { readPackage } from "../../../lib/config/read-packages.ts";
import type { SettLock } from "../../../lib/config/sett-lock.ts";
import { type KnownPackage, kindOfUse, rightsOf } from "../../../lib/config/with-packages.ts";
import { parseYaml } from "../../../lib/config/yaml-file.ts";
import type { Provider } from "../../../lib/model/config-models.ts";
import { UnreservedAgentName } from "../../../lib/model/config-names.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { NewFile } from "../program/write-files.ts";

export type AdditionOrder = {
  /** The words of `use`; a path is relative to the folder of the sett.yml. */
  use: string;
  as: string | undefined;
  model: string | undefined;
  copy: boolean;
};

/** `steps`: the texts of sett.yml one after another; the last one is to be written. */
export type Addition = {
  name: string;
  known: KnownPackage;
  steps: string[];
  newModel: { name: string; provider: Provider } | undefined;
  /** Relative to the folder of the sett.yml. */
  copied: NewFile[];
};

/** Throws `usage`. */
export async function additionOf(
  { use, as, model, copy }: AdditionOrder,
  { text, file, lock }: { text: string; file: string; lock: SettLock },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Addition> {
  const folder = dirname(resolve(file));
  const known = await readPackage(use, folder, lock);
  if ("problem" in known)
    throw new SettError("usage", `${use} ${known.problem}`.replace(/[^?]$/, "$&."));
  if (copy && known.kind !== "own")
    throw new SettError(
      "usage",
      `${use} is none of Sett's own packages, so there is nothing to copy.`,
      {
        hint: `Without --copy: sett add ${use}`,
      },
    );
  const data: Record<string, unknown> = Object(parseYaml(text).data);
  const name = nameFor({ use, as }, Object(data.agents));
  requireModel(model, Object(data.models));
  const place = `agents/${name}`;
  if (copy && existsSync(join(folder, place)))
    throw new SettError(
      "usage",
      `There is ${join(folder, place)} already, so nothing was written.`,
      {
        hint: `Choose another name: sett add ${use} --copy --as NAME`,
      },
    );
  const asks = rightsOf(known.file);
  const provider = providerFor(asks.model ?? "any", env);
  const written = copy ? `./${place}` : use;
  const { steps, newModel } = addAgent(text, { name, use: written, asks, model }, provider);
  const files = copy ? (ownPackages.get(use) ?? []) : [];
  return {
    ...{ name, known, steps },
    newModel: newModel === undefined ? undefined : { name: newModel, provider },
    copied: files.map((one) => ({ ...one, path: `${place}/${one.path}` })),
  };
}

function nameFor(
  { use, as }: Pick<AdditionOrder, "use" | "as">,
  agents: Readonly<Record<string, unknown>>,
): string {
  const kind = kindOfUse(use, ownNames);
  const last = basename(use);
  const name = as ?? (kind === "image" ? last.replace(/[:@].*$/, "") : last);
  const parsed = UnreservedAgentName.safeParse(name);
  if (!parsed.success)
    throw new SettError(
      "usage",
      `${name} cannot be an agent's name: it ${parsed.error.issues[0]?.message}.`,
      {
        hint: `Choose another one: sett add ${use} --as NAME`,
      },
    );
  if (agents[name] === undefined) return name;
  throw new SettError("usage", `There is an agent ${name} already, so nothing was written.`, {
    hint: `Give this one another name: sett add ${use} --as NAME`,
  });
}

function requireModel(model: string | undefined, models: Readonly<Record<string, unknown>>): void {
  if (model === undefined || Object(models[model]).provider !== undefined) return;
  const names = Object.keys(models).filter((name) => Object(models[name]).provider !== undefined);
  throw new SettError("usage", `There is no model ${model} in sett.yml.`, {
    hint: names.length === 0 ? "Without --model, sett writes one." : `It has ${names.join(", ")}.`,
  });
}
