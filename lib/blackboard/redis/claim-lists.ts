// Which claims are open, and whom they concern, in Redis.
import type { ArtefactId, ClaimId } from "../../model/ids.ts";
import type { ClaimBoard } from "../port/claims.ts";
import type { Deps } from "./deps.ts";
import { unlessWrongType } from "./wrong-type.ts";

type Lists = Pick<
  ClaimBoard,
  "listOpenClaims" | "countOpenClaims" | "listOpenClaimsOfGoal" | "listClaimsOf"
>;

/** These indexes hold nothing but claim ids. */
export function claimListsOf({ connection, keys }: Deps): Lists {
  return {
    async listOpenClaims({ from, count } = { from: 0, count: Number.POSITIVE_INFINITY }) {
      if (count === 0) return [];
      const last = Number.isFinite(count) ? from + count - 1 : -1;
      return (await connection.run((client) =>
        client.zRange(keys.openClaims, from, last),
      )) as ClaimId[];
    },

    countOpenClaims: () => connection.run((client) => client.zCard(keys.openClaims)),

    async listOpenClaimsOfGoal(goal) {
      const artefacts = await connection.run((client) =>
        client.zRange(keys.artefactsOfGoal(goal), 0, -1).catch(unlessWrongType([])),
      );
      const claims = await connection.run((client) =>
        Promise.all(
          artefacts.map((id) =>
            client.hVals(keys.claimsOfArtefact(id as ArtefactId)).catch(unlessWrongType([])),
          ),
        ),
      );
      const ids = claims.flat() as ClaimId[];
      if (ids.length === 0) return [];
      const places = await connection.run((client) => client.zmScore(keys.openClaims, ids));
      const open = ids.flatMap((id, index) =>
        places[index] === null ? [] : [{ id, place: Number(places[index]) }],
      );
      return open.sort((one, other) => one.place - other.place).map(({ id }) => id);
    },

    async listClaimsOf(agent, concern) {
      const key = concern === "asked" ? keys.agentAsked(agent) : keys.agentWork(agent);
      return (await connection.run((client) => client.zRange(key, 0, -1))) as ClaimId[];
    },
  };
}
