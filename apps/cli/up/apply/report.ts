// Says at the end of `sett up`: what it has changed, and what the instance has lost.
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { RuntimeName } from "../../instance/runtimes.ts";
import {
  goneHint,
  lostEventsSentence,
  lostOutputsSentence,
  newBlackboardSentence,
  newRecordSentence,
  otherBlackboardSentence,
  restoreHint,
} from "../../render/lost.ts";
import type { Shell } from "../../terminal/shell.ts";
import type { Outcome } from "../plan/outcome.ts";
import type { Lost } from "./find-lost.ts";

type Applied = { outcome: Outcome; lost: Lost; surplusUsers: readonly string[] };

type Of = { instance: InstanceName; kind: RuntimeName };

export async function report(of: Of, { outcome, lost, surplusUsers }: Applied, shell: Shell) {
  const { instance } = of;
  const { started, registered, kept } = outcome;
  const all = {
    ...outcome,
    repaired: outcome.repaired.map((name) => `the registration of ${name}`),
  };
  const phrases = Object.entries(all).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what} ${names.join(", ")}`],
  );
  const isNew = phrases.length === [started, registered].filter((names) => names.length > 0).length;
  const isSame = kept.length > 0 && phrases.length === 1;
  if (isNew)
    await shell.out.write(`${instance} is up: ${[...started, ...registered].join(", ")}\n`);
  else if (isSame)
    await shell.out.write(`${instance} is up, and nothing has changed: ${kept.join(", ")}\n`);
  else await shell.out.write(`${instance} is up: ${phrases.join("; ")}\n`);
  sayLost(of, lost, shell);
  if (surplusUsers.length > 0)
    shell.messages.warn(
      `That Redis still lets in agents that are no longer in sett.yml, until its operators remove their users: \`ACL DELUSER ${surplusUsers.join(" ")}\`.`,
    );
  if (!isSame) shell.messages.next(`Post a goal: ${shell.suggest('forage --goal "…" --watch')}`);
}

export function sayLost(
  { instance, kind }: Of,
  { blackboard, keptIn, events, hasLostBodies, hasLostOutputs }: Lost,
  { messages }: Pick<Shell, "messages">,
): void {
  if (keptIn !== undefined) messages.warn(otherBlackboardSentence(instance, keptIn));
  const sentences = [
    blackboard && newBlackboardSentence(instance, blackboard),
    events && lostEventsSentence(instance, events),
    hasLostBodies && newRecordSentence(instance),
    hasLostOutputs && lostOutputsSentence(instance),
  ].filter((sentence) => typeof sentence === "string");
  for (const sentence of sentences) messages.warn(sentence);
  if (sentences.length > 0)
    messages.next(blackboard === undefined ? restoreHint : goneHint(kind === "kubernetes"));
}
