// Judges whether agents write the values of their secrets by accident. No finding has a part of a
// value.
import type { Finding } from "../facts/finding.ts";
import { effectOfWeak, remedyForWeak } from "../facts/weak-value.ts";
import type { SecretsFacts } from "./facts.ts";

const subject = "secrets";

export function judgeSecrets(facts: SecretsFacts): Finding[] {
  const { read, weak, unread, ofCluster = [], namespace } = facts;
  const warnings = weak.map(
    ({ name, what }): Finding => ({
      ...{ subject, check: name, level: "warning", found: `its value is ${what}` },
      why: effectOfWeak,
      remedy: remedyForWeak,
    }),
  );
  if (unread.length > 0)
    warnings.push({
      ...{ subject, check: "values", level: "note", found: `not read: ${unread.join(", ")}` },
      why: "A command may ask you for a password, and a file or a variable may be missing here.",
      remedy: "`sett up` reads them, and warns.",
    });
  const where = namespace === undefined ? "" : ` of the namespace ${namespace}`;
  const option = namespace === undefined ? "" : ` --namespace ${namespace}`;
  for (const { name, secret, key } of ofCluster)
    warnings.push({
      ...{ subject, check: name, level: "note" },
      found: `not read: the key ${key} of the Secret ${secret}${where}`,
      why: "Only the pods of agents read it. `sett up` refuses one that is not there, or has not this key.",
      remedy: `\`kubectl${option} describe secret ${secret}\` shows its keys.`,
    });
  if (warnings.length > 0) return warnings;
  return [
    {
      subject,
      check: "values",
      level: "ok",
      found: `${read} that agents do not write by accident`,
    },
  ];
}
