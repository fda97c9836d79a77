// The kinds of triggers: one file each in lib/triggers/kinds. CONTRIBUTING.md#a-kind-of-trigger
import { kindsIn, type Trigger } from "../model/trigger.ts";
import type { KindOfTrigger, RawMap } from "./kind.ts";
import { cron } from "./kinds/cron.ts";
import { tag } from "./kinds/tag.ts";
import { webhook } from "./kinds/webhook.ts";

type Kinds = { [Name in Trigger["kind"]]: KindOfTrigger<Extract<Trigger, { kind: Name }>> };

export const kinds: Kinds = { cron, webhook, tag };

/** For the triggers of this kind alone. */
export function kindOf({ kind }: Pick<Trigger, "kind">): KindOfTrigger<Trigger> {
  return kinds[kind];
}

/** The kind of an entry of sett.yml; undefined for one that has no key of any kind. */
export function kindOfEntry(entry: RawMap): KindOfTrigger<Trigger> | undefined {
  const [kind] = kindsIn(entry);
  return kind && kinds[kind];
}
