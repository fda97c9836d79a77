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

/** Capital letters and digits within words are left out, which base64 has. */
const path = /^(?:file:\/\/)?[~a-z._-]*(?:\/[a-z._-]+\d{0,2})+\/?$/;
const pathOfWindows = /^(?:[A-Za-z]:|\\)(?:\\[A-Z]?[a-z]+(?:[ ._-][A-Z]?[a-z]+)*\d{0,2})+\\?$/;
const date =
  /^(?:\d{4}([-/.]?)\d{2}\1\d{2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{4}-?W\d{2}(?:-?\d)?)(?:[T ].*)?$/;
const month = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?";
const dateInWords = new RegExp(
  `^(?:[a-z]{3,9}, )?(?:\\d{1,2}(?:st|nd|rd|th)?[. -]{1,2})?${month}[ -](?:\\d{1,2}(?:st|nd|rd|th)?,? )?\\d{4}(?: \\d{1,2}:\\d{2}[\\w:+. ]*)?$`,
  "i",
);
/** Such as pi, which has 16 digits in most programs. */
const decimal = /^[+-]?\d{1,9}[.,]\d{1,25}(?:e[+-]?\d{1,3})?$/i;
/** A line, a pattern, a key or an id that is empty. */
const oneSign = /^(.)(?:\1|[ :-])*$/u;
/** Versions, addresses and telephone numbers count as well. */
const number =
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?$|^\+?\(?\d+(?:(?:[.,:_/' -]|\) ?)\d+)+%?$|^0x[\da-f]{1,8}$/i;
/** A time that something takes. Digits with a `d` in any order are hexadecimal. */
const duration = /^(?=\d)(?:\d{1,6}d)?(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,6}s)?(?:\d{1,6}ms)?$/i;
/** They stand before or behind a number. */
const unitAround = /^[$€£¥] ?(?=\d)|(?<=\d) ?[%$€£¥]$/g;
const small = "[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}]+";
/** Several words count as well that are joined as in names of types, files and variables. */
const word = new RegExp(
  `^\\p{Lu}?${small}(?:\\p{Lu}${small})*(?:[._-]\\p{Lu}?${small})*[\\p{Lu}._-]?$|^\\p{Lu}+(?:[._-]\\p{Lu}+)*$`,
  "u",
);
/** A region, a version, a model: `us-east-1`, `ubuntu-22.04`, `gpt-4o-mini`. */
const name = /^[a-z]+\d{0,2}(?:[._-](?:[a-z]+\d{0,2}|\d{1,3}[a-z]?))+$|^[A-Z]+\.[a-z]{1,4}$/;
const label = "[a-z]+(?:-[a-z]+)*\\d{0,2}";
const host = `(?:localhost|${label}(?:\\.${label})+)`;
const hostByNumber = "(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[\\da-f:]{2,39}\\])";
/** It says where something is, without a way in: a host, a URL without a path, a mailbox. */
const address = new RegExp(
  `^(?:https?://(?:${host}|${hostByNumber})(?::\\d{1,5})?/?|${host}(?::\\d{2,5})?|[a-z][\\w.+-]*@${host})$`,
);
/** One of several words, or a number with them: `New York`, `step 2 of 3`. */
const shortWord = /^(?:\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]*|\p{Lu}+|\d{1,4})$/u;
/** A time zone, a file of a program: capital letters begin words alone. */
const placeOfFile =
  /^[~.]?(?:\/?[A-Z]?[a-z]{2,}(?:[._-][A-Z]?[a-z]+)*)(?:\/[A-Z]?[a-z]+(?:[._-][A-Z]?[a-z]+)*)+$/;
/** Quotation marks, brackets and stops around a word, with which people copy it. */
const signsAround = /^["'`([{<]+|["'`)\]}>]+[,;.]?$|[,;]$/g;
/** The beginnings of tokens that services make. */
const token = /^(?:gh[pousr]|sk|pk|xox[a-z]|glpat|npm|pypi|dckr)[_-]/;

/** Names the kind of common value, as a noun with its article; undefined for others. */
export function commonValue(value: string): string | undefined {
  const text = value.trim();
  const lower = text.toLowerCase();
  if (contract.some((each) => each.includes(lower)))
    return "a word of the contract between Sett and commands";
  const bare = text.replace(signsAround, "").replace(unitAround, "");
  if (bare !== text && bare !== "") return commonValue(bare);
  if (date.test(text) || dateInWords.test(text)) return "a date";
  if (path.test(text) || pathOfWindows.test(text)) return "a path";
  if (address.test(text)) return "an address";
  if (decimal.test(text)) return "a number";
  if (oneSign.test(text)) return "one character again and again";
  if (text.length > maxLength || token.test(text)) return undefined;
  const parts = text.split(/(?:[,;] ?| )(?=\S)/);
  if (isNumber(text) || parts.every(isNumber)) return "a number";
  if (word.test(text) || name.test(text)) return "an ordinary word";
  if (parts.length > 1 && parts.every((part) => shortWord.test(part))) return "ordinary words";
  return placeOfFile.test(text) ? "a path" : undefined;
}

function isNumber(text: string): boolean {
  return number.test(text) || duration.test(text);
}
