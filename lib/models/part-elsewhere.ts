// Finds parts of a conversation that the provider would take from elsewhere. An address that it
// fetches would carry what a command sees to any host, whatever sett.yml says of the agent's
// network. A file that is kept at the provider belongs to the owner of the key, or another agent.
import { isObject, type JsonObject } from "../model/json.ts";

/** Names of members with an address: `url`, `image_url`, `fileUri`. */
const ofAddress = /ur[il]$/i;
const ofFile = /^file_?ids?$/i;
/** Types of parts in which other servers have addresses under other names. */
const ofMedia = /image|video|audio|file|document|screenshot/i;
/** These are words for the model: the input of a call of a tool, the sources of an answer. */
const said = new Set(["arguments", "annotations", "citations"]);
const ofCall = /(?:_use|_call)$/;

/** `inMedia`: of a part in which any address may be fetched. */
type Member = { name: string; value: unknown; inMedia: boolean };

/** Why the request is not passed on, in a sentence with the remedy; undefined where it is. */
export function problemOfParts(json: JsonObject, members: readonly string[]): string | undefined {
  // Some servers read names in any capitals. A loop, because the nesting is the client's.
  const open: Member[] = Object.entries(json).flatMap(([name, value]) =>
    members.includes(name.toLowerCase()) ? [{ name, value, inMedia: false }] : [],
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, inMedia } = next;
    const problem = typeof value === "string" && problemOfText(next, value);
    if (problem) return problem;
    if (Array.isArray(value)) for (const inner of value) open.push({ ...next, value: inner });
    else if (isObject(value)) for (const member of membersOf(value, inMedia)) open.push(member);
  }
  return undefined;
}

function problemOfText({ name, inMedia }: Member, text: string): string | undefined {
  if (ofFile.test(name) && text !== "") return keptFile;
  if (ofAddress.test(name) && leadsElsewhere(text)) return linkedPart;
  return inMedia && !namesOfText.test(name) && isAddress(text) ? linkedPart : undefined;
}

/** What a part has within is of its medium: some servers take an address in any place. */
function* membersOf(part: JsonObject, inMedia: boolean): Generator<Member> {
  const type = typeof part.type === "string" ? part.type : "";
  const isMedia = inMedia || ofMedia.test(type);
  for (const [name, value] of Object.entries(part)) {
    if (said.has(name) || (name === "input" && ofCall.test(type))) continue;
    const isText = type === "document" && name === "source" && isTextSource(value);
    yield { name, value, inMedia: isMedia && !isText };
  }
}

function isTextSource(value: unknown): boolean {
  return isObject(value) && (value.type === "text" || value.type === "content");
}

const keptFile =
  "The gateway passes on no file that only the provider has: it may be another's. Send its bytes.";
const linkedPart =
  "The gateway passes on no address that the provider would fetch. Send the bytes that are there.";

/** Members of such a part that the model reads as they are. */
const namesOfText = /^(?:text|title|context|name|filename|alt)$/;

function leadsElsewhere(text: string): boolean {
  return text.trim() !== "" && !/^\s*data:/i.test(text.slice(0, 100));
}

function isAddress(text: string): boolean {
  return /^\s*(?:https?|ftp|gs|s3|file):/i.test(text.slice(0, 100));
}
