// The namespace in which the workers of an instance run. Who may make Jobs may mount every Secret
// beside them, so that nothing is there but what agents have (docs/internals/decisions.md). Pure.
import { SettError } from "../../model/errors.ts";

const maxName = 63;

/** Throws `config-invalid` where the name is too long. */
export function workersNamespace(home: string): string {
  const name = `${home}-workers`;
  if (name.length <= maxName) return name;
  throw new SettError(
    "config-invalid",
    `Workers run in the namespace ${name}, which has ${name.length} characters, and a cluster takes ${maxName} at most.`,
    { hint: "Choose a shorter name for the instance, or its namespace." },
  );
}
