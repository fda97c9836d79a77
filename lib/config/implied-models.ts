// The model of an agent that is a prompt and names none: the only one of the file, or the one that
// is called `default`.

import { builtInKind } from "../model/built-in.ts";

type Maps = {
  agents: Readonly<Record<string, unknown>>;
  models: Readonly<Record<string, unknown>>;
};

/**
 * By the names of the agents. Both maps as the file has them; what is of another kind the schema
 * reports.
 */
export function impliedModels({ agents, models }: Maps): ReadonlyMap<string, string> {
  const names = Object.keys(models).filter(
    (name) => name !== "record" && models[name] instanceof Object,
  );
  const [only, ...others] = names;
  const implied = others.length === 0 ? only : names.find((name) => name === "default");
  const asking = Object.entries(agents).filter(([, agent]) => asksModel(agent));
  return new Map(implied === undefined ? [] : asking.map(([name]) => [name, implied]));
}

/** The same agents, with their models written out. */
export function withImpliedModels(
  agents: Readonly<Record<string, unknown>>,
  implied: ReadonlyMap<string, string>,
): object {
  const written = Object.entries(agents).map(([name, agent]) => {
    const model = implied.get(name);
    return [name, model === undefined ? agent : { ...Object(agent), model }];
  });
  return Object.fromEntries(written);
}

/**
 * True where a prompt is read by nothing but a model: it does the work, or it decides the bid that
 * no rule and no command decides.
 */
export function asksModel(agent: unknown): boolean {
  const {
    prompts,
    model,
    command,
    bids = [],
    bid_command,
    external,
    human,
  }: Record<string, unknown> = Object(agent);
  if (model !== undefined || external === true || human === true) return false;
  if (builtInKind(Object(agent)) !== undefined) return false;
  const { claim, execution } = Object(prompts);
  const hasRules = bid_command !== undefined || !Array.isArray(bids) || bids.length > 0;
  return (execution !== undefined && command === undefined) || (claim !== undefined && !hasRules);
}
