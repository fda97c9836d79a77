// Agents with `use`: what their packages say beside what sett.yml says, and what only sett.yml may
// grant. Pure.
import type { PackageFile, PackageRights } from "../model/package.ts";
import { asksModel } from "./implied-models.ts";
import type { ConfigPath } from "./problems.ts";

/** One of Sett's own by its name, a folder beside the sett.yml, or an image of a registry. */
export type PackageKind = "own" | "folder" | "image";

/**
 * A package that was read. `said`: its agent.yml as it is written. `image`: the image by its
 * digest, where it is one.
 */
export type KnownPackage = {
  kind: PackageKind;
  digest: string;
  file: PackageFile;
  said: Readonly<Record<string, unknown>>;
  image?: string;
};

/** By the words of `use`; a sentence for one that cannot be used. */
export type KnownPackages = ReadonlyMap<string, KnownPackage | { problem: string }>;

/** Names begin with a letter or digit, so that a point or a slash begins a path. */
export function kindOfUse(use: string, own: readonly string[]): PackageKind | undefined {
  if (/^[./]/.test(use)) return "folder";
  if (own.includes(use)) return "own";
  return /[/:@]/.test(use) ? "image" : undefined;
}

type Maps = Readonly<Record<string, unknown>>;
type Finding = { path: ConfigPath; sentence: string };

/**
 * The agents with what their packages say, and all that is wrong with their packages. `unread`: the
 * names of agents whose package could not be read.
 */
export function withPackages(
  agents: Maps,
  models: Maps,
  packages: KnownPackages,
): { agents: Maps; mistakes: Finding[]; warnings: Finding[]; unread: Set<string> } {
  const mistakes: Finding[] = [];
  const unread = new Set<string>();
  const warnings: Finding[] = [];
  const merged = Object.entries(agents).map(([name, agent]): [string, unknown] => {
    if (!isMap(agent) || typeof agent.use !== "string") return [name, agent];
    const known = packages.get(agent.use);
    const report = (sentence: string) => mistakes.push({ path: ["agents", name, "use"], sentence });
    if (known === undefined || "problem" in known) {
      unread.add(name);
      // What was not looked for is no problem: the places in the file alone are wanted.
      if (known === undefined) return [name, inFolder(agent)];
      report(known.problem);
      return [name, agent];
    }
    const asks = rightsOf(known.file);
    const missing = missingRights(asks, agent, known.kind);
    if (missing.length > 0) report(refusal(agent.use, missing));
    for (const sentence of [modelMistake(asks, agent, models)])
      if (sentence !== undefined) report(sentence);
    for (const sentence of unmetWishes(asks, agent))
      warnings.push({ path: ["agents", name, "use"], sentence });
    return [name, merge(agent, agent.use, known)];
  });
  return { agents: Object.fromEntries(merged), mistakes, warnings, unread };
}

/** What it asks for and cannot take. Its prompts may need a model that it does not name. */
export function rightsOf(file: PackageFile): PackageRights {
  const { workspace, network, egress, secrets } = file;
  const model = file.model ?? (asksModel(file) ? "any" : undefined);
  const isAsking = network === "open" || network === "direct";
  return {
    ...(model !== undefined && { model }),
    ...(workspace.mode === "rw" && { workspace: "rw" as const }),
    ...(isAsking && { network }),
    ...(egress.length > 0 && { egress }),
    ...(secrets.length > 0 && { secrets: secrets.map(({ name }) => name) }),
  };
}

/** A line of sett.yml for each right, as a person would write it. */
export function rightLines(
  asks: PackageRights,
): Record<Exclude<keyof PackageRights, "model">, string | undefined> {
  const list = (words: readonly string[] = []) =>
    `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
  return {
    workspace: asks.workspace && "workspace: { mode: rw }",
    network: asks.network && `network: ${asks.network}`,
    egress: asks.egress && `egress: ${list(asks.egress)}`,
    secrets: asks.secrets && `secrets: ${list(asks.secrets)}`,
  };
}

/**
 * The lines that are missing in the agent's entry. A key that is there is a person's decision,
 * whatever it says. Commits are the purpose of Sett's own packages, which come with this program.
 */
function missingRights(asks: PackageRights, agent: Maps, kind: PackageKind): string[] {
  return Object.entries(rightLines(asks)).flatMap(([key, line]) => {
    if (line === undefined || (kind === "own" && key === "workspace")) return [];
    const isDecided =
      key === "workspace" ? Object(agent.workspace).mode !== undefined : agent[key] !== undefined;
    return isDecided ? [] : [line];
  });
}

function refusal(use: string, lines: readonly string[]): string {
  const written = lines.map((line) => `\`${line}\``).join(", ");
  const other = lines.length === 1 ? "another value refuses it" : "other values refuse them";
  return `its package ${use} asks for what only this file can allow: to allow it write ${written} beside \`use\`; ${other}`;
}

function modelMistake(
  { model: api }: PackageRights,
  agent: Maps,
  models: Maps,
): string | undefined {
  if (api === undefined) return undefined;
  const named = Object.entries(models).filter(
    ([name, one]) => name !== "record" && isMap(one) && "provider" in one,
  );
  const fitting = named
    .filter(([, one]) => api === "any" || Object(one).provider === api)
    .map(([name]) => name);
  if (agent.model === undefined) {
    const [first] = fitting;
    return first === undefined
      ? `its package asks for a model${api === "any" ? "" : ` with \`provider: ${api}\``}, whose calls cost money: name one in \`models\`, then write \`model: NAME\` beside \`use\``
      : `its package asks for a model, whose calls cost money: to allow it write \`model: ${first}\` beside \`use\``;
  }
  const provider = Object(models[String(agent.model)]).provider;
  if (api === "any" || provider === undefined || provider === api) return undefined;
  return `its package speaks the API of \`provider: ${api}\` alone, and its model \`${String(agent.model)}\` has \`provider: ${String(provider)}\`: name another model, or use \`opencode\`, which speaks both`;
}

/** A list that a person has written before the package asked for more. */
function unmetWishes(asks: PackageRights, agent: Maps): string[] {
  return (["egress", "secrets"] as const).flatMap((key) => {
    const own = agent[key];
    if (!Array.isArray(own)) return [];
    const written = own.map((one: unknown) =>
      typeof one === "string" ? one : String(Object(one).name),
    );
    const has = (wish: string) =>
      written.includes(wish) || written.includes(wish.replace(/:443$/, ""));
    const unmet = (asks[key] ?? []).filter((wish) => !has(wish));
    return unmet.length === 0
      ? []
      : [`its package asks for \`${key}\` that this file does not give: ${unmet.join(", ")}`];
  });
}

/** Maps in which a key of sett.yml replaces the same key alone. */
const joined = ["workspace", "prompts"] as const;

function merge(agent: Maps, use: string, { kind, said, image }: KnownPackage): Maps {
  const { version: _version, about: _about, model: _model, ...rest } = said;
  // Rights come from sett.yml, or not at all.
  const { network, egress: _egress, secrets: _secrets, ...others } = rest;
  const defaults: Maps = network === "none" ? { network, ...others } : others;
  const both = joined.flatMap((key) =>
    isMap(defaults[key]) && isMap(agent[key]) ? [[key, { ...defaults[key], ...agent[key] }]] : [],
  );
  const merged = { ...defaults, ...agent, ...Object.fromEntries(both) };
  if (kind === "folder") return inFolder(merged);
  const hasImage = agent.image !== undefined || agent.path !== undefined || isBuilt(agent);
  return kind === "image" && !hasImage ? { ...merged, image: image ?? use } : merged;
}

/** A package that is a folder is built from it, unless sett.yml names something else. */
function inFolder(agent: Maps): Maps {
  const { use, build, image, path } = agent;
  if (typeof use !== "string" || kindOfUse(use, []) !== "folder") return agent;
  if (image !== undefined || path !== undefined || isBuilt(agent)) return agent;
  return { ...agent, build: { ...Object(build), context: use } };
}

/** With `use`, a `build` of arguments alone is for the package's own build. */
export function isBuilt({ build }: Maps): boolean {
  return typeof build === "string" || Object(build).context !== undefined;
}

function isMap(data: unknown): data is Maps {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
