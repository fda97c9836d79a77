// Finds artefacts that are not what they were when they were stored: a person with a key to Redis
// has written over them, or removed them, or what they are compared with.
import { createHash } from "node:crypto";
import { RESP_TYPES } from "redis";
import type { ArtefactId } from "../../model/ids.ts";
import type { ArtefactBoard, LookLimits } from "../port/artefacts.ts";
import { artefactFieldNames } from "../records/artefact-field-names.ts";
import { beginningLength } from "../records/artefact-fields.ts";
import { piecesOf } from "../records/pieces.ts";
import type { Deps } from "./deps.ts";
import { unlessWrongType } from "./wrong-type.ts";

const asBytes = { [RESP_TYPES.BLOB_STRING]: Buffer };
/** Few round trips for small artefacts, little memory for large ones. */
const atOnce = { bytes: 4 * 1024 ** 2, items: 200 };
const idsAtOnce = 2_000;
const between = Buffer.from("\0");
const nothing = Buffer.alloc(0);
const payloadPlace = artefactFieldNames.indexOf("payload");

export function overwrittenOf({ connection, keys }: Deps): ArtefactBoard["findOverwritten"] {
  /**
   * The digest that Lua's `digest_of` gives, of the bytes as they are stored: a payload need not be
   * UTF-8. Empty where `beginning`, which lists show of a large payload, is not its beginning.
   */
  const digestOf = async (id: ArtefactId): Promise<string> => {
    const [beginning, ...values] = await connection.run((client) =>
      client
        .withTypeMapping(asBytes)
        .hmGet(keys.artefact(id), ["beginning", ...artefactFieldNames])
        .catch(unlessWrongType([])),
    );
    const payload = values[payloadPlace] ?? nothing;
    if (beginning && !beginning.equals(payload.subarray(0, beginningLength))) return "";
    const hash = createHash("sha1");
    values.forEach((value, place) => {
      if (place > 0) hash.update(between);
      hash.update(value ?? nothing);
    });
    return hash.digest("hex");
  };
  const digestsOf = (ids: readonly ArtefactId[]) =>
    connection.run((client) => client.hmGet(keys.artefactDigests, [...ids]));
  /**
   * Those of which the index knows, and no digest. The functions write both in one step, and one
   * that does so between the two reads is not meant.
   */
  const withoutDigest = async (ids: readonly ArtefactId[]): Promise<ArtefactId[]> => {
    if (ids.length === 0) return [];
    const scores = await connection.run((client) =>
      Promise.all(ids.map((id) => client.zScore(keys.artefacts, id))),
    );
    const indexed = ids.filter((_, at) => scores[at] !== null);
    if (indexed.length === 0) return [];
    const digests = await digestsOf(indexed);
    return indexed.filter((_, at) => typeof digests[at] !== "string");
  };
  const findIn = async (
    ids: readonly ArtefactId[],
    { maxPayloadBytes = Number.POSITIVE_INFINITY }: LookLimits,
  ): Promise<ArtefactId[]> => {
    const [stored, sizes] = await Promise.all([
      digestsOf(ids),
      connection.run((client) =>
        Promise.all(
          ids.map((id) => client.hStrLen(keys.artefact(id), "payload").catch(unlessWrongType(0))),
        ),
      ),
    ]);
    const overwritten = await withoutDigest(ids.filter((_, at) => typeof stored[at] !== "string"));
    const known = ids.flatMap((id, at) => {
      const digest = stored[at];
      const bytes = Number(sizes[at]);
      const isWanted = typeof digest === "string" && bytes <= maxPayloadBytes;
      return isWanted ? [{ id, digest, bytes }] : [];
    });
    for (const piece of piecesOf(known, ({ bytes }) => bytes, atOnce)) {
      const found = await Promise.all(piece.map(({ id }) => digestOf(id)));
      piece.forEach(({ id, digest }, at) => {
        if (found[at] !== digest) overwritten.push(id);
      });
    }
    return overwritten;
  };
  return async (ids, limits = {}) => {
    const overwritten: ArtefactId[] = [];
    for (let at = 0; at < ids.length; at += idsAtOnce)
      overwritten.push(...(await findIn(ids.slice(at, at + idsAtOnce), limits)));
    return overwritten;
  };
}
