// Reads the file that `people.signers` names: whose keys sign for whom.
import { readFile, stat } from "node:fs/promises";
import { isPerson } from "../core/is-person.ts";
import type { SettConfig } from "../model/config.ts";
import { messageOf } from "../model/errors.ts";
import { type AllowedSigner, readSigners } from "../proof/ssh/allowed-signers.ts";
import type { NamedPlace } from "./parse-config.ts";
import type { ConfigProblem } from "./problems.ts";

type SignersPlace = Extract<NamedPlace, { kind: "signers" }>;

/** Each agent's registration has the text. */
const maxBytes = 64 * 1024;
const maxShown = 10;

/** Puts the text into the configuration. Resolves with the mistakes. */
export async function readSigning(
  places: readonly NamedPlace[],
  config: SettConfig | undefined,
): Promise<ConfigProblem[]> {
  const place = places.find((one) => one.kind === "signers");
  if (place === undefined) return [];
  const text = await textOf(place);
  if (typeof text !== "string") return [text];
  const { signers, mistakes } = readSigners(text);
  if (config?.signing !== undefined) config.signing.signers = text;
  const { name, problemAt } = place;
  if (mistakes.length > 0)
    return mistakes
      .slice(0, maxShown)
      .map(({ line, sentence }) => problemAt(`names ${name}, whose line ${line} ${sentence}`));
  const { people } = config?.signing ?? {};
  const hasPerson = signers.some(({ principals }) =>
    principals.some((name) => people?.some((person) => isPerson(`person:${name}`, person))),
  );
  if (signers.length > 0 && people !== undefined && !hasPerson)
    return [
      problemAt(
        `names ${name}, which has no key of anyone in \`people\`: write their addresses in it`,
      ),
    ];
  const short = config === undefined ? undefined : withoutKeys(config, signers);
  if (short !== undefined) return [problemAt(`names ${name}, ${short}`)];
  if (signers.length > 0) return [];
  return [
    problemAt(`names ${name}, in which there is no key: \`ada@example.org ssh-ed25519 AAAA…\``),
  ];
}

/** The place at which an agent needs more approvals than people have keys, if any. */
function withoutKeys(
  { people, signing }: SettConfig,
  signers: readonly AllowedSigner[],
): string | undefined {
  if (signing?.required !== true) return undefined;
  for (const { name, people: may = [], approvals = 1 } of people) {
    const count = may.filter((person) =>
      signers.some(({ principals }) =>
        principals.some((principal) => isPerson(`person:${principal}`, person)),
      ),
    ).length;
    if (may.length > 0 && approvals > count)
      return `which has keys of ${count} of the people of ${name}: it asks for ${approvals} approval${approvals === 1 ? "" : "s"}`;
  }
  return undefined;
}

async function textOf({ file, name, problemAt }: SignersPlace): Promise<string | ConfigProblem> {
  try {
    const found = await stat(file);
    // A pipe or a device would have no end.
    if (!found.isFile()) return problemAt(`names ${name}, which is no file`);
    if (found.size > maxBytes) return problemAt(`names ${name}, which is longer than 64 KiB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    return problemAt(
      error instanceof TypeError
        ? `names ${name}, which is not UTF-8 text`
        : `cannot be read: ${messageOf(error)}`,
    );
  }
}
