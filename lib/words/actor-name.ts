/** The name of an actor, for people: `coder`, `orchestrator`, `Ada Lovelace`, `by hand`. */
export function actorName(actor: string): string {
  const [kind = "", ...name] = actor.split(":");
  if (kind === "hand") return "by hand";
  if (kind === "orchestrator" || name.length === 0) return kind;
  // An agent's container, and a person's address, are in the log only: `--json` shows them.
  return name.join(":").replace(kind === "agent" ? /@.*$/ : / <[^<>]*>$/, "");
}
