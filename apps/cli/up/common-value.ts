// Says of the value of a secret that it is one that agents write without knowing it: masking it would break what they write. Pure.
import { Artefact, StructuralType } from "../../../lib/model/artefact.ts";
import { BidWord } from "../../../lib/model/bid.ts";
import { FullToolOutput, ShortToolOutput, ToolInput } from "../../../lib/model/tool-contract.ts";

const contract = new Set(
  [
    ...[Artefact, ToolInput, FullToolOutput, ShortToolOutput].flatMap(({ shape }) => Object.keys(shape)),
    ...[...StructuralType.options, ...BidWord.options],
  ].map((word) => word.toLowerCase()),
);

/** Longer ones of these kinds are not found by accident. */
const maxLength = 16;

/** Capital letters and digits are left out, which base64 has. */
const path = /^[~a-z._-]*(?:\/[a-z._-]+)+\/?$/;
const date = /^\d{4}([-/.]?)\d{2}\1\d{2}(?:[T ].*)?$/;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const word = /^[A-Z]?[a-z]+$/;

/** Which kind of common value it is, as a noun with its article; undefined for others. */
export function commonValue(value: string): string | undefined {
  const text = value.trim();
  if (contract.has(text.toLowerCase())) return "a word of the contract between Sett and commands";
  if (date.test(text)) return "a date";
  if (path.test(text)) return "a path";
  if (text.length > maxLength) return undefined;
  if (number.test(text)) return "a number";
  return word.test(text) ? "an ordinary word" : undefined;
}
