// The key of the proof volume, and those that had its place before
// (docs/reference/proof.md#another-key). All of it is one file, which is replaced at once: the
// private key as PEM, and a line of JSON for each time that another key has taken over.
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { newAttestationKey } from "../../../lib/proof/attestation.ts";
import { readCheckpoint } from "../../../lib/proof/formats.ts";
import { isSame, LogKeys, type Rotation } from "../../../lib/proof/log-keys.ts";
import {
  newPrivateKey,
  openNote,
  readNote,
  readVerifierKey,
  type SignerKey,
  signerKey,
  signNote,
  type VerifierKey,
  verifierKeyText,
} from "../../../lib/proof/note.ts";
import type { SealedFiles } from "./sealed-files.ts";

/** `checkpoint`: of this size, as both keys have signed it. */
const Exchange = z.strictObject({
  size: z.int().positive(),
  from: z.string(),
  to: z.string(),
  checkpoint: z.string(),
});
type Exchange = z.infer<typeof Exchange>;

/** Private keys as PEM, which take over when the log says so. */
const NextKeys = z.strictObject({ key: z.string(), attestation_key: z.string() });
export type NextKeys = { signer: SignerKey; texts: z.infer<typeof NextKeys> };

const pemEnd = "-----END PRIVATE KEY-----\n";

export class OwnKeys extends LogKeys {
  readonly signer: SignerKey;
  readonly #exchanges: readonly Exchange[];

  /** Throws `not-ready` where one of the keys has not named the next one. */
  constructor(signer: SignerKey, exchanges: readonly Exchange[] = []) {
    const rotations = exchanges.map(rotationOf);
    super(rotations[0]?.from ?? signer, rotations);
    this.signer = signer;
    this.#exchanges = exchanges;
    const isChain = rotations.every(({ from }, at) => at === 0 || isSame(from, this.#to(at - 1)));
    if (!isChain || !isSame(this.last, signer)) throw unusable();
  }

  /** From the first to the present one, as verifier keys. */
  get all(): string[] {
    return [this.of(0), ...this.rotations.map(({ to }) => to)].map(verifierKeyText);
  }

  /** The size that a checkpoint states; undefined where none of these keys has signed it. */
  sizeIn(note: string | undefined): number | undefined {
    return note === undefined ? undefined : this.openCheckpoint(note)?.checkpoint.size;
  }

  /** A checkpoint at which another key took over stays as both have signed it. */
  signCheckpoint(text: string): string {
    return this.#handover(text) ?? signNote(text, this.signer);
  }

  /** Whether it is this checkpoint with the signatures of the notary, and nothing else. */
  isOwn(note: string, text: string): boolean {
    const handover = this.#handover(text);
    if (handover !== undefined) return note === handover;
    const size = readCheckpoint(text)?.size ?? 0;
    return openNote(note, this.of(size)) === text && readNote(note)?.signatures.length === 1;
  }

  /** The content of the file once the next key has taken over. */
  fileAfter(next: NextKeys, { size, checkpoint }: Pick<Exchange, "size" | "checkpoint">): string {
    const [from, to] = [this.signer, next.signer].map(verifierKeyText);
    const lines = [...this.#exchanges, { size, from, to, checkpoint }];
    return next.texts.key + lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  #handover(text: string): string | undefined {
    const size = readCheckpoint(text)?.size;
    const note = this.#exchanges.find((one) => one.size === size)?.checkpoint;
    return note !== undefined && readNote(note)?.text === text ? note : undefined;
  }

  #to(at: number): VerifierKey {
    return this.rotations[at]?.to ?? this.signer;
  }
}

/** Throws `not-ready` where the volume has none yet. */
export async function ownKeys(files: SealedFiles, instance: InstanceName): Promise<OwnKeys> {
  const text = await files.readText("key");
  if (text === undefined) throw nothingSealed(instance);
  const end = text.indexOf(pemEnd) + pemEnd.length;
  const lines = text.slice(end).split("\n").slice(0, -1);
  const exchanges = lines.map((line) => Exchange.parse(JSON.parse(line)));
  const [first] = exchanges.map(rotationOf);
  const nameOf = (sha256: string) =>
    first?.from.name ?? `${instance}.sett.invalid/${sha256.slice(0, 8)}`;
  return new OwnKeys(signerKey(text.slice(0, end), nameOf), exchanges);
}

/** Undefined where no other key is to take over. */
export async function nextKeys(
  files: SealedFiles,
  { name }: Pick<LogKeys, "name">,
): Promise<NextKeys | undefined> {
  const text = await files.readText("next-keys");
  if (text === undefined) return undefined;
  const texts = NextKeys.parse(JSON.parse(text));
  return { signer: signerKey(texts.key, () => name), texts };
}

/** They take over at the next look of the notary; those that are there already stay. */
export async function makeNextKeys(files: SealedFiles): Promise<void> {
  const texts = { key: newPrivateKey(), attestation_key: newAttestationKey() };
  await files.createText("next-keys", JSON.stringify(NextKeys.parse(texts)));
}

/** Throws `not-ready` where the one has not signed that the other takes over. */
function rotationOf({ size, checkpoint, ...texts }: Exchange): Rotation {
  const [from, to] = [readVerifierKey(texts.from), readVerifierKey(texts.to)];
  if (from === undefined || to === undefined || from.name !== to.name) throw unusable();
  const text = openNote(checkpoint, from);
  const isSigned = text !== undefined && openNote(checkpoint, to) === text;
  if (!isSigned || readCheckpoint(text)?.size !== size) throw unusable();
  return { size, from, to };
}

function unusable(): SettError {
  return new SettError("not-ready", "The keys of the proof volume do not follow each other.", {
    hint: "Restore the volume from a back-up.",
  });
}

export function nothingSealed(instance: InstanceName): SettError {
  return new SettError("not-ready", "The notary has sealed nothing yet.", {
    hint: `\`sett logs notary --name ${instance}\` may show why.`,
  });
}
