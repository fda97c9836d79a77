// Warns of an agent that depends on a model: this version of Sett cannot ask one, so nothing reads the agent's prompts.
import type { SettConfig } from "../model/config.ts";
import type { ConfigPath } from "./problems.ts";

export function unreadPrompts({ agents }: SettConfig): { path: ConfigPath; sentence: string }[] {
  return agents.flatMap(({ name, prompts, command, bids, bid_command }) => {
    if (prompts.claim === undefined || bids.length > 0 || bid_command !== undefined) return [];
    const remedy = command.length === 0 ? "a `command`, and `bids`" : "`bids`";
    const sentence = `this version of Sett cannot ask a model, so this agent ignores everything: give it ${remedy}`;
    return [{ path: ["agents", name, "prompts"], sentence }];
  });
}
