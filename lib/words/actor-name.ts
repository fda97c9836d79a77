export type Made = {
  produced_by_agent: string;
  produced_by_role: string;
  metadata: Readonly<Record<string, unknown>>;
};

/** The agent that has made it, or the person where one is on record; else the role. */
export function makerName({ produced_by_agent: agent, produced_by_role: role, metadata }: Made) {
  if (agent !== "") return agent;
  return typeof metadata.by === "string" ? actorName(`person:${metadata.by}`) : role;
}

/** The name of an actor, for people: `coder`, `orchestrator`, `Ada Lovelace`, `by hand`. */
export function actorName(actor: string): string {
  const [kind = "", ...name] = actor.split(":");
  if (kind === "hand") return "by hand";
  if (kind === "orchestrator" || name.length === 0) return kind;
  // An agent's container, and a person's address, are in the log only: `--json` shows them.
  return name.join(":").replace(kind === "agent" ? /@.*$/ : / <[^<>]*>$/, "");
}
