// The triggers of sett.yml as the program that runs them gets them, and what is wrong or doubtful
// in them: lib/triggers/kinds has the words of each kind.
import type { SettConfig, SettFile } from "../model/config.ts";
import { type Trigger, TriggerName } from "../model/trigger.ts";
import { templateProblems } from "../triggers/goal-text.ts";
import type { RawMap } from "../triggers/kind.ts";
import { kindOf, kindOfEntry, kinds } from "../triggers/kinds.ts";
import { nearestWord as nearest } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };

/** The schema lets an entry be of exactly one kind. */
export function resolveTriggers({
  triggers,
  agents,
}: Pick<SettFile, "triggers" | "agents">): Trigger[] {
  // What is prepared runs code of the commit, too.
  const guardsSecrets = Object.values(agents).some(
    ({ secrets, workspace }) => secrets.length > 0 || (workspace.prepare?.secrets.length ?? 0) > 0,
  );
  return Object.entries(triggers).flatMap(([name, entry]) => {
    const resolved = kindOfEntry(entry)?.resolve(entry, { guardsSecrets });
    if (resolved === undefined) return [];
    return [{ ...resolved, name: TriggerName.parse(name), goal: entry.goal } as Trigger];
  });
}

/** All as the file has them: the schema reports what is of another kind. */
export function triggerMistakes(triggers: RawMap, secrets: RawMap, services: RawMap): Finding[] {
  return Object.entries(triggers).flatMap(([name, settings]) => {
    const entry: RawMap = Object(settings);
    const file = { secrets, services, nearest };
    const { goal } = entry;
    const fields = kindOfEntry(entry)?.fields;
    const problems =
      fields !== undefined && typeof goal === "string" ? templateProblems(goal, fields) : [];
    return [
      ...Object.values(kinds).flatMap((kind) => kind.mistakes?.(entry, file) ?? []),
      ...problems.map((sentence) => ({ path: ["goal"], sentence })),
    ].map(({ path, sentence }) => ({ path: ["triggers", name, ...path], sentence }));
  });
}

/** `now`: only a time that no year has is warned of, so that its choice does not matter. */
export function triggerWarnings(
  { triggers }: Pick<SettConfig, "triggers">,
  now = new Date(),
): Finding[] {
  return triggers.flatMap((trigger) =>
    (kindOf(trigger).warnings?.(trigger, { now, nearest }) ?? []).map(({ path, sentence }) => ({
      path: ["triggers", trigger.name, ...path],
      sentence,
    })),
  );
}

/** Triggers that look at names of the repository, such as tags. */
export function lookingAtNames(triggers: readonly Trigger[]): Trigger[] {
  return triggers.filter((trigger) => kindOf(trigger).looksAtNames === true);
}
