// Checks before `sett up` makes anything.
import { basename } from "node:path";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";
import { notOurs } from "../../../../lib/runtime/not-ours.ts";
import { idsOf } from "../../../../lib/runtime/own-part.ts";
import type { InstanceParts, Stranger } from "../../../../lib/runtime/port.ts";
import { hasAnything, instanceNameOf } from "../../instance/find-instance.ts";
import { howItRuns } from "../../instance/parts.ts";
import { anothers, isAnothers, workspaceOf } from "../../instance/workspace-of.ts";
import { plannedNames } from "../plan/planned-names.ts";

/**
 * The instance of --name, else the one instance of this repository (a kept blackboard is enough),
 * else a new one named after the folder. `why`: a sentence about the choice, where the person gave
 * no name. Throws `usage` and `instance-ambiguous`.
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
    const why =
      made.length > 0
        ? "the instance of this repository"
        : "whose blackboard was kept for this repository";
    return { instance, why: `This is ${instance}, ${why}.` };
  }
  if (only !== undefined) {
    const names = [only, ...others].map(({ instance }) => instance).join(", ");
    throw new SettError(
      "instance-ambiguous",
      `This repository has several instances, or kept blackboards of them: ${names}.`,
      {
        hint: `Name the one to continue with: sett up --name ${only.instance}`,
      },
    );
  }
  const instance = nameOfFolder(workspace);
  if (instance !== undefined)
    return { instance, why: `This is ${instance}, a new instance named after the folder.` };
  throw new SettError(
    "usage",
    `The name of the folder ${workspace} cannot be the name of an instance.`,
    {
      hint: "Choose one: sett up --name NAME",
    },
  );
}

/** The instance name for a folder; undefined where its name has no usable letters. */
export function nameOfFolder(workspace: string): InstanceName | undefined {
  // The folder of a bare repository has this ending by custom.
  const name = inLatinLetters(basename(workspace, ".git"))
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
const twoLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
};

/**
 * Accepts a new instance, and an instance or kept blackboard of this repository. Throws
 * `instance-taken`, `workspace-taken`, and `not-ready` for one that is still being removed.
 */
export function requireFreeOrOwn(
  instance: InstanceName,
  workspace: string,
  all: readonly InstanceParts[],
): void {
  const same = all.find((parts) => parts.instance === instance && hasAnything(parts));
  const others = all.filter((parts) => parts.instance !== instance);
  if (same !== undefined) requireOwn(same, workspace);
  const neighbour = others.find((parts) => isMade(parts) && workspaceOf(parts) === workspace);
  if (neighbour === undefined) return;
  throw new SettError(
    "workspace-taken",
    `${workspace} has a sett already: ${neighbour.instance}.`,
    {
      hint: `Update it: sett up --name ${neighbour.instance}. Or stop it first: sett down --name ${neighbour.instance}`,
    },
  );
}

/** Whether there is more than a kept blackboard. A `sett up` makes the network first. */
function isMade({ containers, networks }: InstanceParts): boolean {
  return containers.length + networks.length > 0;
}

function requireOwn(parts: InstanceParts, workspace: string): void {
  const { instance, ending } = parts;
  if (ending !== undefined)
    throw new SettError("not-ready", `${instance} is still being removed: ${ending.words}.`, {
      hint:
        ending.remedy ?? `Try again in a moment, or end it: sett down --name ${instance} --volumes`,
    });
  const owner = isAnothers(parts) ? anothers : workspaceOf(parts);
  // A part that names no repository belongs to none: `sett up` takes it over.
  if (owner === workspace || owner === "") return;
  const state = isMade(parts) ? (howItRuns(parts) ?? "starting now, or left incomplete") : "";
  const message =
    state === ""
      ? `The name ${instance} belongs to ${owner}, whose blackboard is kept.`
      : `There is an instance ${instance} already, ${state}, for ${owner}.`;
  const another = "Choose another name: sett up --name NAME";
  const id = isAnothers(parts) ? idOfParts(parts) : undefined;
  if (id !== undefined)
    throw new SettError("instance-taken", message, {
      hint: `If another clone of this repository has started it: git config sett.${instance}.id ${id}, then try again. Else: ${another}`,
    });
  throw new SettError("instance-taken", message, {
    hint:
      state === ""
        ? `Choose another name (--name NAME), or remove that blackboard: sett down --name ${instance} --volumes`
        : another,
  });
}

function idOfParts({ instance, containers, volumes, networks }: InstanceParts): string | undefined {
  const all = [...volumes, ...networks, ...containers];
  return idsOf(all.map(({ labels }) => ({ labels }))).get(instance);
}

/** Throws `instance-taken` where something of another's has a name that this instance needs. */
export function requireNoStrangers(
  instance: InstanceName,
  config: SettConfig,
  strangers: readonly Stranger[],
): void {
  const needed = plannedNames(instance, config);
  const ofCub = `sett-${instance}-cub-`;
  const inTheWay = strangers.filter(
    ({ sort, name }) =>
      sort === "image" ||
      needed[sort].includes(name) ||
      (sort === "volume" && name.startsWith(ofCub)),
  );
  if (inTheWay.length > 0) throw notOurs(inTheWay);
}

/**
 * The id of the instance: that of its parts, else that of the repository, else undefined. `kept`:
 * what the repository knows. Throws `instance-taken` where the two differ.
 */
export function knownId(
  parts: InstanceParts | undefined,
  kept: string | undefined,
): string | undefined {
  if (parts === undefined) return kept;
  const { instance, containers, volumes, networks } = parts;
  const found = idOfParts(parts);
  if (found === undefined || kept === undefined || found === kept) return found ?? kept;
  const all = [...volumes, ...networks, ...containers];
  const named = all.find(({ labels }) => labels.id === found)?.name ?? instance;
  throw new SettError(
    "instance-taken",
    `${named} was made for another instance named ${instance}: its id is ${found}, and the one of this repository is ${kept}.`,
    {
      hint: `If it is this one's all the same, as after a restore: git config sett.${instance}.id ${found}. Else choose another name: sett up --name NAME`,
    },
  );
}
