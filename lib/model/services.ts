// The names of the services that an instance can have beside its agents. What each one is and
// needs: apps/cli/services. Pure.

/** A name is the label and the log of the service, and no agent can have it. */
export const serviceNames = [
  "orchestrator",
  "gateway",
  "egress",
  "starter",
  "keeper",
  "recorder",
  "notary",
  "api",
  "forge",
  "log-reader",
  "packs",
  "redis",
] as const;

export type ServiceName = (typeof serviceNames)[number];

export function isServiceName(word: string): word is ServiceName {
  return serviceNames.some((name) => name === word);
}
