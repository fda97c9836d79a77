// Which keys sign for whom: the file `allowed_signers` of OpenSSH, without what one file alone
// cannot show, or what would let a line name more than it shows. Pure.
import { Buffer } from "node:buffer";
import { readSshKey } from "./public-key.ts";
import { base64Bytes } from "./wire.ts";

/** `key`: as SSH writes it. Times are in seconds, and both belong to the time of the key. */
export type AllowedSigner = {
  principals: string[];
  namespaces: string[] | undefined;
  after: number | undefined;
  before: number | undefined;
  key: Buffer;
};

/** `line`: from 1. */
export type SignersMistake = { line: number; sentence: string };
export type ReadSigners = { signers: AllowedSigner[]; mistakes: SignersMistake[] };

/** 1 MiB. */
export const maxSignersBytes = 1024 * 1024;

const option = /^([^",= \t]+)(?:="([^"]*)")?(?:,|$)/;
const form =
  "is not `NAMES [OPTIONS] TYPE KEY`: names of signers, such as an address, and a public key";

/** Blank lines and those that begin with `#` say nothing. */
export function readSigners(text: string): ReadSigners {
  const [signers, mistakes]: [AllowedSigner[], SignersMistake[]] = [[], []];
  if (Buffer.byteLength(text) > maxSignersBytes)
    return { signers, mistakes: [{ line: 1, sentence: "the file has more than 1 MiB" }] };
  for (const [at, whole] of text.split("\n").entries()) {
    // An editor of Windows ends lines so.
    const line = whole.replace(/\r$/, "").replace(/^[ \t]+/, "");
    if (line === "" || line.startsWith("#")) continue;
    const read = signerIn(line);
    if (typeof read === "string") mistakes.push({ line: at + 1, sentence: read });
    else signers.push(read);
  }
  return { signers, mistakes };
}

/** A sentence in its place says why it is none. */
function signerIn(line: string): AllowedSigner | string {
  const [, names = "", rest = ""] = /^([^ \t]+)[ \t]+(.*)$/s.exec(line) ?? [];
  if (names === "") return form;
  if (/[*?!"]/.test(names))
    return "has a pattern or quotation marks in its names: write each name out";
  const principals = names.split(",");
  if (principals.includes("")) return "has an empty name";
  const direct = keyIn(rest);
  if (direct !== undefined)
    return typeof direct === "string" ? direct : { principals, ...noOptions, key: direct };
  const [, options = "", after = ""] = /^((?:[^" \t]|"[^"]*")+)[ \t]+(.*)$/s.exec(rest) ?? [];
  const read = optionsIn(options);
  if (typeof read === "string") return read;
  const key = keyIn(after);
  if (key === undefined) return form;
  return typeof key === "string" ? key : { principals, ...read, key };
}

type Options = Pick<AllowedSigner, "namespaces" | "after" | "before">;
const noOptions: Options = { namespaces: undefined, after: undefined, before: undefined };

/** Undefined where no type of a key comes first. */
function keyIn(text: string): Buffer | string | undefined {
  const [, kind = "", base64 = ""] =
    /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/=]+)(?:[ \t].*)?$/s.exec(text) ?? [];
  if (!/^(?:sk-)?(?:ssh|ecdsa)-/.test(kind)) return undefined;
  const key = base64Bytes(base64);
  const read = key && readSshKey(key);
  if (key !== undefined && read?.kind === kind) return key;
  return `has no key of Ed25519, ECDSA, or RSA with 2048 bits or more, after \`${kind}\``;
}

function optionsIn(text: string): Options | string {
  const read: Options = { ...noOptions };
  let rest = text;
  while (rest !== "") {
    const [whole, name, value] = option.exec(rest) ?? [];
    if (whole === undefined || name === undefined) return form;
    rest = rest.slice(whole.length);
    if (name === "namespaces") {
      if (read.namespaces !== undefined) return "says `namespaces` twice";
      if (value === undefined || /[*?!]/.test(value))
        return "has a pattern in `namespaces`: write each one out";
      read.namespaces = value.split(",");
      continue;
    }
    if (name === "cert-authority")
      return "names an authority: Sett takes no certificates, so write the key of each person";
    if (name !== "valid-after" && name !== "valid-before")
      return `has an option that Sett does not know: \`${name}\``;
    const side = name === "valid-after" ? "after" : "before";
    if (read[side] !== undefined) return `says \`${name}\` twice`;
    const time = timeOf(value ?? "");
    if (time === undefined)
      return `has no time in UTC after \`${name}\`, such as "20261231Z" or "202612312359Z"`;
    read[side] = time;
  }
  const { after = 0, before = Number.POSITIVE_INFINITY } = read;
  return after < before ? read : "ends by `valid-before` before it begins";
}

/** Without `Z` it would be another time on each machine. */
function timeOf(text: string): number | undefined {
  const [, date = "", time = "", seconds = ""] = /^(\d{8})(?:(\d{4})(\d{2})?)?Z$/.exec(text) ?? [];
  if (date === "") return undefined;
  const [hours, minutes] = [time.slice(0, 2) || "00", time.slice(2) || "00"];
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const iso = `${day}T${hours}:${minutes}:${seconds || "00"}.000Z`;
  const read = new Date(iso);
  const isTime = !Number.isNaN(read.getTime()) && read.toISOString() === iso;
  return isTime ? read.getTime() / 1000 : undefined;
}
