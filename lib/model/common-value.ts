// Says of the value of a secret that it is one that agents write without knowing it: masking it
// would break what they write. Pure.
import { Artefact, StructuralType } from "./artefact.ts";
import { BidWord } from "./bid.ts";
import { FullToolOutput, ShortToolOutput, ToolInput } from "./tool-contract.ts";

const contract = [
  ...[Artefact, ToolInput, FullToolOutput, ShortToolOutput].flatMap(({ shape }) =>
    Object.keys(shape),
  ),
  ...[...StructuralType.options, ...BidWord.options],
].map((word) => word.toLowerCase());

/** A longer value of these kinds is not found by accident. */
const maxLength = 16;

/** Capital letters and digits are left out, which base64 has. */
const path = /^[~a-z._-]*(?:\/[a-z._-]+)+\/?$/;
const date = /^(?:\d{4}([-/.]?)\d{2}\1\d{2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?:[T ].*)?$/;
/** Versions, addresses and telephone numbers count as well. */
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$|^\d+(?:[.:_-]\d+)+$/i;
/** Several words count as well that are joined as in names of types, files and variables. */
const word = /^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*(?:[._-][A-Z]?[a-z]+)*[A-Z._-]?$/;
/** The beginnings of tokens that services make. */
const token = /^(?:gh[pousr]|sk|pk|xox[a-z]|glpat|npm|pypi|dckr)[_-]/;

/** Names the kind of common value, as a noun with its article; undefined for others. */
export function commonValue(value: string): string | undefined {
  const text = value.trim();
  const lower = text.toLowerCase();
  if (contract.some((each) => each.includes(lower)))
    return "a word of the contract between Sett and commands";
  if (date.test(text)) return "a date";
  if (path.test(text)) return "a path";
  if (text.length > maxLength || token.test(text)) return undefined;
  if (number.test(text)) return "a number";
  return word.test(text) ? "an ordinary word" : undefined;
}
