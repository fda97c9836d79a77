// What must hold before `sett up` makes anything.
import { basename } from "node:path";
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { hasAnything, instanceNameOf, workspaceOf } from "../instance/find-instance.ts";
import { howItRuns } from "../instance/parts.ts";

/**
 * The name given, else the one instance that this repository has, be it only a blackboard that was kept, else a new one named after the
 * folder. `why`: what to tell whoever gave no name. Throws `usage` and `instance-ambiguous`.
 */
export function chooseInstance(
  given: string | undefined,
  workspace: string,
  all: readonly InstanceParts[],
): { instance: InstanceName; why?: string } {
  if (given !== undefined) return { instance: instanceNameOf(given) };
  const own = all.filter((parts) => hasAnything(parts) && workspaceOf(parts) === workspace);
  const made = own.filter(isMade);
  const [only, ...others] = made.length > 0 ? made : own;
  if (only !== undefined && others.length === 0) {
    const { instance } = only;
    const why = made.length > 0 ? "which this repository has already" : "whose blackboard this repository has kept";
    return { instance, why: `This is ${instance}, ${why}.` };
  }
  if (only !== undefined) {
    const names = [only, ...others].map(({ instance }) => instance).join(", ");
    throw new SettError("instance-ambiguous", `This repository has several instances, or has kept their blackboards: ${names}.`, {
      hint: `Say which one to go on with: sett up --name ${only.instance}`,
    });
  }
  const instance = nameOfFolder(workspace);
  if (instance !== undefined) return { instance, why: `This is ${instance}, a new instance named after the folder.` };
  throw new SettError("usage", `The folder ${workspace} gives no name for the instance.`, {
    hint: "Choose one: sett up --name NAME",
  });
}

/** Undefined where the folder's name makes none. */
export function nameOfFolder(workspace: string): InstanceName | undefined {
  const name = inLatinLetters(basename(workspace))
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return InstanceName.safeParse(name).data;
}

/** `prüf` → `pruf`: letters with marks lose them, and those that are one sign for two become two. */
function inLatinLetters(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mn}/gu, "")
    .replace(/[ßæœøłđ]/g, (letter) => twoLetters[letter] ?? letter);
}

/** They have no other form in Unicode. */
const twoLetters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d" };

/**
 * An instance of this repository is brought up to date, and a blackboard that an earlier `down` has kept is gone on from. Throws
 * `instance-taken` and `workspace-taken`.
 */
export function requireFreeOrOwn(instance: InstanceName, workspace: string, all: readonly InstanceParts[]): void {
  const same = all.find((parts) => parts.instance === instance && hasAnything(parts));
  const others = all.filter((parts) => parts.instance !== instance);
  if (same !== undefined) requireOwn(same, workspace);
  const neighbour = others.find((parts) => isMade(parts) && workspaceOf(parts) === workspace);
  if (neighbour === undefined) return;
  throw new SettError("workspace-taken", `${workspace} has a sett already: ${neighbour.instance}.`, {
    hint: `Bring it up to date: sett up --name ${neighbour.instance}. Or stop it first: sett down --name ${neighbour.instance}`,
  });
}

/** More than a blackboard that was kept. One that is just being made has its network first. */
function isMade({ containers, networks }: InstanceParts): boolean {
  return containers.length + networks.length > 0;
}

function requireOwn(parts: InstanceParts, workspace: string): void {
  const { instance } = parts;
  const owner = workspaceOf(parts);
  // What has no labels is nobody's: it is taken over.
  if (owner === workspace || owner === "") return;
  if (isMade(parts)) {
    const how = howItRuns(parts) ?? "just being started or left half-made";
    throw new SettError("instance-taken", `There is an instance ${instance} already, ${how}, for ${owner}.`, {
      hint: "Choose another name: sett up --name NAME",
    });
  }
  throw new SettError("instance-taken", `The name ${instance} belongs to ${owner}, whose blackboard is kept.`, {
    hint: `Choose another name (--name NAME), or remove that blackboard: sett down --name ${instance} --volumes`,
  });
}
