// The artefacts on which a goal's state depends: Redis finds them, some hundred artefacts at a
// time.
import type { ArtefactId, ClaimId } from "../../model/ids.ts";
import type { ArtefactBoard } from "../port/artefacts.ts";
import type { Deps } from "./deps.ts";

export function readOutlineOf({ call }: Deps): ArtefactBoard["readOutline"] {
  return async (goal) => {
    const named = new Map<ArtefactId, Map<string, ClaimId>>();
    let [artefacts, claims] = [0, 0];
    for (let from = "0"; from !== ""; ) {
      const [next = "", lookedAt, claimed, ...words] = await call(
        "readOutline",
        {},
        { goal, from: Number(from) },
      );
      artefacts += Number(lookedAt);
      claims += Number(claimed);
      for (let at = 0; at < words.length; ) {
        const count = Number(words[at + 1]);
        const causes = new Map<string, ClaimId>();
        // These indexes hold nothing but ids.
        for (let place = at + 2; place < at + 2 + 2 * count; place += 2)
          causes.set(words[place] ?? "", words[place + 1] as ClaimId);
        named.set(words[at] as ArtefactId, causes);
        at += 2 + 2 * count;
      }
      from = next;
    }
    return { artefacts, claims, named };
  };
}
