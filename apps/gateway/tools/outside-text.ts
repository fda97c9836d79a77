// Text of MCP servers, which is data to all who read it: it is enclosed in tags, and cannot end
// its own enclosure. What a server quotes of its headers is taken out.
import { Buffer } from "node:buffer";
import { isSecret } from "../../../lib/models/cassette/hide-secrets.ts";

const tagStart = /<(?=\s*\/?\s*outside)/gi;

/** `text` as the content of a tag. `server`: its name in sett.yml. */
export function markOutside(server: string, text: string): string {
  return `<outside server="${server}">\n${text.replace(tagStart, "&lt;")}\n</outside>`;
}

/** Keeps the beginning and the end of a longer text. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const half = Math.floor(maxLength / 2);
  const left = text.length - 2 * half;
  const notice = `\n[${left} characters are left out here: the answer is too long]\n`;
  return `${text.slice(0, half).toWellFormed()}${notice}${text.slice(-half).toWellFormed()}`;
}

/** `text`, JSON too, without these secrets, as they are and in the usual encodings. */
export function hideSecrets(text: string, hidden: readonly string[]): string {
  const forms = hidden.filter(isSecret).flatMap((secret) => {
    const bytes = Buffer.from(secret);
    const encoded = [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
    const quoted = JSON.stringify(secret).slice(1, -1);
    return [secret, quoted, encodeURIComponent(secret), ...encoded, bytes.toString("hex")];
  });
  const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return ordered.reduce((shown, form) => shown.replaceAll(form, "[key]"), text);
}
