// Runs lib/proof and the program of apps/verify on the same archives.
import type { Buffer } from "node:buffer";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readArchive } from "../../../lib/proof/archive.ts";
import { verifierKeyText } from "../../../lib/proof/note.ts";
import { readPem } from "../../../lib/proof/outside/certificates.ts";
import { type Policy, readPolicy } from "../../../lib/proof/outside/witnesses.ts";
import { readSigners } from "../../../lib/proof/ssh/allowed-signers.ts";
import { verifyBundle } from "../../../lib/proof/verify.ts";
import { inMemory } from "./archive.ts";
import type { Key } from "./bundle.ts";
import type { Damage } from "./damages.ts";
import { key } from "./damages.ts";

const Answer = z.object({
  shown: z.boolean(),
  problems: z.array(z.object({ code: z.string(), place: z.string(), text: z.string() })),
});

/** `signers`: the lines of a file, by which what people do must be signed. */
export type Trust = {
  key: Key["verifier"];
  signers?: string;
  receipts?: readonly string[];
  /** The texts of a file with roots, and of a policy. */
  outside?: { tsa: string; policy: string };
};

/** So many archives are given to one process. */
const atOnce = 500;

/** `found`: what lib/proof says, as codes and places. `differences`: where the other says else. */
export async function compareVerifiers(
  program: string,
  damages: readonly Damage[],
  trust: Trust = { key: key.verifier },
): Promise<{ found: string[][]; differences: object[] }> {
  const found: string[][] = [];
  const differences: object[] = [];
  for (let from = 0; from < damages.length; from += atOnce) {
    const some = damages.slice(from, from + atOnce);
    const answers = await answersOf(program, some, trust);
    for (const [at, { name, archive }] of some.entries()) {
      const one = await problemsOf(archive, trust);
      found.push(one);
      const other = answers[at];
      if (!Bun.deepEquals(one, other)) differences.push({ name, library: one, program: other });
    }
  }
  return { found, differences };
}

async function answersOf(
  program: string,
  damages: readonly Damage[],
  { key, signers, receipts = [], outside }: Trust,
): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), "sett-bundles-"));
  try {
    for (const [at, { archive }] of damages.entries())
      await writeFile(join(folder, String(at)), archive);
    const files = damages.map((_, at) => String(at));
    if (signers !== undefined) await writeFile(join(folder, "signers"), signers);
    const signing = ["--signers", "signers", "--require", "signatures"];
    const options = signers === undefined ? [] : signing;
    for (const [at, text] of receipts.entries()) {
      await writeFile(join(folder, `${at}.tlog-proof`), text);
      options.push("--receipt", `${at}.tlog-proof`);
    }
    if (outside !== undefined) {
      await writeFile(join(folder, "tsa"), outside.tsa);
      await writeFile(join(folder, "policy"), outside.policy);
      options.push("--tsa", "tsa", "--policy", "policy");
    }
    const args = ["--json", "--key", verifierKeyText(key), ...options, ...files];
    const { stdout, stderr } = Bun.spawnSync([program, ...args], { cwd: folder });
    const lines = stdout.toString().trimEnd().split("\n");
    if (lines.length !== damages.length) throw new Error(stderr.toString());
    return lines.map((line) => {
      const { shown, problems } = Answer.parse(JSON.parse(line));
      if (shown !== (problems.length === 0)) throw new Error(`It says two things: ${line}`);
      return problems.map(({ code, place }) => `${code} ${place}`);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function problemsOf(
  archive: Buffer,
  { key, signers, receipts, outside }: Trust,
): Promise<string[]> {
  const files = await readArchive(inMemory(archive));
  if (typeof files === "string") return ["unreadable -"];
  const signing =
    signers === undefined ? undefined : { signers: readSigners(signers).signers, isRequired: true };
  const { problems } = await verifyBundle(files, key, undefined, signing, receipts, {
    ...{ roots: outside && readPem(outside.tsa), policy: outside && policyOf(outside.policy) },
    required: [],
  });
  return problems.map(({ code, place }) => `${code} ${place}`);
}

function policyOf(text: string): Policy {
  const policy = readPolicy(text);
  if (typeof policy === "string") throw new Error(policy);
  return policy;
}
