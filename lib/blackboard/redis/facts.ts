// The facts that decisions are based on beside the log, in Redis.
import type { FactDigest } from "../../model/fact.ts";
import type { FactBoard } from "../port/facts.ts";
import type { Deps } from "./deps.ts";

export function factsOf({ connection, keys, call }: Deps): FactBoard {
  return {
    noteFact: ({ digest, text }, epoch) =>
      call(
        "noteFact",
        { orchestrator: keys.orchestrator, facts: keys.facts },
        { epoch, digest, text },
      ),

    async readFacts(digests) {
      const wanted = [...new Set(digests)];
      if (wanted.length === 0) return new Map();
      const texts = await connection.run((client) => client.hmGet(keys.facts, wanted));
      return new Map(
        wanted.flatMap((digest, place): [FactDigest, string][] => {
          const text = texts[place];
          return text == null ? [] : [[digest, text]];
        }),
      );
    },
  };
}
