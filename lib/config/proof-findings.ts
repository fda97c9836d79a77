// Findings about `proof` of sett.yml. Pure.
import { notAVerifierKey, readVerifierKey } from "../proof/note.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };

/** `proof`: as the file has it; the schema reports what is of another kind. */
export function proofMistakes(proof: unknown): Finding[] {
  const { key }: Record<string, unknown> = Object(proof);
  if (typeof key !== "string" || readVerifierKey(key) !== undefined) return [];
  return [{ path: ["proof", "key"], sentence: notAVerifierKey(key) }];
}
