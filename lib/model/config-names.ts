// The names and roles of agents in sett.yml.
import { z } from "zod";
import { userRole } from "./artefact.ts";
import { AgentName } from "./ids.ts";
import { serviceNames } from "./services.ts";

const reserved: readonly string[] = [userRole, ...serviceNames];
const parts = serviceNames.map((name) => `\`${name}\``);
const reservedSentence = `is reserved: \`${userRole}\` means people, ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)} are parts of Sett`;
function isReserved(name: string): boolean {
  return reserved.includes(name);
}

const roleSentence = "must be a word without `*`, spaces at its ends or control characters";
export const Role = z
  .string()
  .min(1, { error: "must not be empty" })
  .max(100, { error: "must have at most 100 characters" })
  .regex(/^[^\s*](?:[^*]*[^\s*])?$/, { error: roleSentence, abort: true })
  .refine((role) => !/\p{Cc}/u.test(role), { error: roleSentence })
  .refine((role) => !isReserved(role), { error: reservedSentence });

/** A name is the default role, so the same words are reserved. */
export const UnreservedAgentName = AgentName.refine((name) => !isReserved(name), {
  error: reservedSentence,
});

export const ImageName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/@-]*$/, { error: "must be an image such as `debian:bookworm-slim`" });
