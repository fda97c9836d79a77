// Checks before `sett up` makes anything.
import { basename } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { hasAnything, instanceNameOf, workspaceOf } from "../instance/find-instance.ts";
import { howItRuns } from "../instance/parts.ts";

/**
 * The instance of --name, else the one instance of this repository (a kept blackboard is enough), else a new one named after the folder.
 * `why`: a sentence about the choice, where the person gave no name. Throws `usage` and `instance-ambiguous`.
 */
export function chooseInstance(
  name: string | undefined,
  workspace: string,
  all: readonly InstanceParts[],
): { instance: InstanceName; why?: string } {
  if (name !== undefined) return { instance: instanceNameOf(name) };
  const own = all.filter((parts) => hasAnything(parts) && workspaceOf(parts) === workspace);
  const made = own.filter(isMade);
  const [only, ...others] = made.length > 0 ? made : own;
  if (only !== undefined && others.length === 0) {
    const { instance } = only;
    const why = made.length > 0 ? "the instance of this repository" : "whose blackboard was kept for this repository";
    return { instance, why: `This is ${instance}, ${why}.` };
  }
  if (only !== undefined) {
    const names = [only, ...others].map(({ instance }) => instance).join(", ");
    throw new SettError("instance-ambiguous", `This repository has several instances, or kept blackboards of them: ${names}.`, {
      hint: `Name the one to continue with: sett up --name ${only.instance}`,
    });
  }
  const instance = nameOfFolder(workspace);
  if (instance !== undefined) return { instance, why: `This is ${instance}, a new instance named after the folder.` };
  throw new SettError("usage", `The name of the folder ${workspace} cannot be the name of an instance.`, {
    hint: "Choose one: sett up --name NAME",
  });
}

/** The instance name for a folder; undefined where its name has no usable letters. */
export function nameOfFolder(workspace: string): InstanceName | undefined {
  const name = inLatinLetters(basename(workspace))
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return InstanceName.safeParse(name).data;
}

/** `prüf` → `pruf`: removes the marks of letters, and writes letters such as `æ` as two. */
function inLatinLetters(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mn}/gu, "")
    .replace(/[ßæœøłđ]/g, (letter) => twoLetters[letter] ?? letter);
}

/** Unicode has no decomposition for these letters. */
const twoLetters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d" };

/**
 * Accepts a new instance, and an instance or kept blackboard of this repository. Throws `instance-taken` and `workspace-taken`.
 */
export function requireFreeOrOwn(instance: InstanceName, workspace: string, all: readonly InstanceParts[]): void {
  const same = all.find((parts) => parts.instance === instance && hasAnything(parts));
  const others = all.filter((parts) => parts.instance !== instance);
  if (same !== undefined) requireOwn(same, workspace);
  const neighbour = others.find((parts) => isMade(parts) && workspaceOf(parts) === workspace);
  if (neighbour === undefined) return;
  throw new SettError("workspace-taken", `${workspace} has a sett already: ${neighbour.instance}.`, {
    hint: `Update it: sett up --name ${neighbour.instance}. Or stop it first: sett down --name ${neighbour.instance}`,
  });
}

/** Whether there is more than a kept blackboard. A `sett up` makes the network first. */
function isMade({ containers, networks }: InstanceParts): boolean {
  return containers.length + networks.length > 0;
}

function requireOwn(parts: InstanceParts, workspace: string): void {
  const { instance } = parts;
  const owner = workspaceOf(parts);
  // Parts without labels belong to no repository: `sett up` takes them over.
  if (owner === workspace || owner === "") return;
  if (isMade(parts)) {
    const state = howItRuns(parts) ?? "starting now, or left incomplete";
    throw new SettError("instance-taken", `There is an instance ${instance} already, ${state}, for ${owner}.`, {
      hint: "Choose another name: sett up --name NAME",
    });
  }
  throw new SettError("instance-taken", `The name ${instance} belongs to ${owner}, whose blackboard is kept.`, {
    hint: `Choose another name (--name NAME), or remove that blackboard: sett down --name ${instance} --volumes`,
  });
}
