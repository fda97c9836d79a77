// Finds parts of a conversation that the provider would take from elsewhere. An address that it
// fetches would carry what a command sees to any host, whatever sett.yml says of the agent's
// network. A file that is kept at the provider belongs to the owner of the key, or another agent.
import { isObject, type JsonObject } from "./json.ts";

/** Names of members with an address: `url`, `image_url`, `fileUri`. */
const ofAddress = /ur[il]$/i;
const ofFile = /^file_?ids?$/i;
/** Types of parts in which other servers have addresses under other names. */
const ofMedia = /image|video|audio|file|document|screenshot/i;
/** These are words for the model: the input of a call of a tool, the sources of an answer. */
const said = new Set(["arguments", "annotations", "citations"]);
const ofCall = /(?:_use|_call)$/;

/** Why the request is not passed on, in a sentence with the remedy; undefined where it is. */
export function problemOfParts(json: JsonObject, members: readonly string[]): string | undefined {
  // Some servers read names in any capitals. A loop, because the nesting is the client's.
  const open: unknown[] = Object.entries(json).flatMap(([name, value]) =>
    members.includes(name.toLowerCase()) ? [value] : [],
  );
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) for (const inner of value) open.push(inner);
    if (!isObject(value)) continue;
    const type = typeof value.type === "string" ? value.type : "";
    for (const [name, inner] of Object.entries(value)) {
      if (said.has(name) || (name === "input" && ofCall.test(type))) continue;
      const texts = [inner].flat().filter((one): one is string => typeof one === "string");
      if (ofFile.test(name) && texts.some((text) => text !== "")) return keptFile;
      if (ofAddress.test(name) && texts.some(leadsElsewhere)) return linkedPart;
      if (ofMedia.test(type) && !namesOfText.test(name) && texts.some(isAddress)) return linkedPart;
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
  }
  return undefined;
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
