// Prompts that nobody reads: there is no model yet, so what depends on one says so before it is met.
import type { SettConfig } from "../model/config.ts";
import type { ConfigPath } from "./problems.ts";

export function unheardPrompts({ agents }: SettConfig): { path: ConfigPath; sentence: string }[] {
  return agents.flatMap(({ name, prompts, command, bids, bid_command }) => {
    if (prompts.claim === undefined || bids.length > 0 || bid_command !== undefined) return [];
    const remedy = command.length === 0 ? "a `command`, and `bids`" : "`bids`";
    const sentence = `this version of Sett has no model to ask, so this agent ignores everything: give it ${remedy} to have it act`;
    return [{ path: ["agents", name, "prompts"], sentence }];
  });
}
