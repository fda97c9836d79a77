// Reads and leaves in Redis what the notary needs.
import { z } from "zod";
import { parseJson } from "../../model/json.ts";
import type { ProofBoard } from "../port/proof.ts";
import type { Deps } from "./deps.ts";

const FormerProof = z.object({
  checkpoint: z.string(),
  by: z.string(),
  reason: z.string(),
  at: z.iso.datetime(),
});
const Anchored = z.object({ size: z.int(), at: z.iso.datetime() });

export function proofOf({ connection, keys, call }: Deps): ProofBoard {
  return {
    async readRawEvents(from, count) {
      const entries = await connection.run((client) =>
        client.xRange(keys.events, `(${from}`, "+", { COUNT: count }),
      );
      return (entries ?? []).map(({ id, message: { type = "", event = "" } }) => ({
        ...{ place: id, type, event },
      }));
    },

    async takeProof(holder) {
      await connection.run((client) => client.hSet(keys.proof, "holder", holder));
      const [size, checkpoint] = await connection.run((client) =>
        client.hmGet(keys.proof, ["size", "checkpoint"]),
      );
      return size == null || checkpoint == null ? undefined : { size: Number(size), checkpoint };
    },

    async leaveProof(former) {
      const text = JSON.stringify(former);
      await connection.run((client) => client.hSet(keys.proof, "former", text));
      const fields = ["size", "checkpoint", "place", "anchored"];
      await connection.run((client) => client.hDel(keys.proof, fields));
    },

    readFormerProof: async () => {
      const noted = await connection.run((client) => client.hGet(keys.proof, "former"));
      return FormerProof.safeParse(parseJson(noted ?? "")).data;
    },

    readCheckpoint: async () =>
      (await connection.run((client) => client.hGet(keys.proof, "checkpoint"))) ?? undefined,

    readSealedPlace: async () =>
      (await connection.run((client) => client.hGet(keys.proof, "place"))) ?? undefined,

    readAnchored: async () => {
      const noted = await connection.run((client) => client.hGet(keys.proof, "anchored"));
      return Anchored.safeParse(parseJson(noted ?? "")).data;
    },

    async noteAnchored(anchored) {
      const { size, at } = anchored ?? {};
      const text = anchored === undefined ? "" : JSON.stringify({ size, at });
      await connection.run((client) => client.hSet(keys.proof, "anchored", text));
    },

    noteCheckpoint: ({ holder, before, sealed: { size, checkpoint, place } }) =>
      call("noteCheckpoint", { proof: keys.proof }, { holder, before, size, checkpoint, place }),
  };
}
