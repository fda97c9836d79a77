// The facts that decisions are based on beside the log, in Redis.
import type { FactDigest } from "../../model/fact.ts";
import type { FactBoard } from "../port/facts.ts";
import type { Deps } from "./deps.ts";

export function factsOf({ connection, keys, call }: Deps): FactBoard {
  return {
    noteFact: ({ digest, text }, epoch, goal) => {
      const facts = goal === undefined ? keys.facts : keys.factsOfGoal(goal);
      const stored = { orchestrator: keys.orchestrator, facts };
      return call("noteFact", stored, { epoch, digest, text });
    },

    async readFacts(digests, goal) {
      const wanted = [...new Set(digests)];
      if (wanted.length === 0) return new Map();
      const places = [keys.facts, ...(goal === undefined ? [] : [keys.factsOfGoal(goal)])];
      const found = await connection.run((client) =>
        Promise.all(places.map((place) => client.hmGet(place, wanted))),
      );
      return new Map(
        found.flatMap((texts) =>
          wanted.flatMap((digest, at): [FactDigest, string][] => {
            const text = texts[at];
            return text == null ? [] : [[digest, text]];
          }),
        ),
      );
    },
  };
}
