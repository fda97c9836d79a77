// /v1/artefacts: list them, read one.
import { createRoute, z } from "@hono/zod-openapi";
import { ArtefactDetails, ArtefactItem } from "../../../lib/api/artefact.ts";
import {
  findProblems,
  goalParameter,
  idParameter,
  json,
  listOf,
  namesIn,
  namesParameter,
  orderParameter,
  pageParameters,
  security,
} from "../../../lib/api/common.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import { artefactList, type PagedList } from "../../../lib/client/facts/pages.ts";
import {
  notFound,
  resolveArtefactId,
  resolveGoalId,
} from "../../../lib/client/facts/resolve-id.ts";
import { StructuralType } from "../../../lib/model/artefact.ts";
import { type ArtefactId, LogicalId } from "../../../lib/model/ids.ts";
import type { Api } from "../env.ts";
import type { ArtefactView } from "../facts/artefact-views.ts";
import { claimView } from "../facts/claim-view.ts";
import { grantThatMade, madeBy } from "../facts/made-by.ts";
import { pageOf, reachOf } from "../paging.ts";
import type { Parts } from "../parts.ts";

const tags = ["Artefacts"];
const beginsWith = 4_000;

const listArtefacts = createRoute({
  method: "get",
  path: "/v1/artefacts",
  tags,
  summary: "List the artefacts",
  description:
    "Without their payloads. Where a filter leaves most of them out, a page may have fewer items than `limit`, and a cursor.",
  security,
  request: {
    query: z.strictObject({
      goal: goalParameter,
      type: namesParameter("Only artefacts of these types.", "CodeCommit,Report").transform(
        namesIn,
      ),
      structural_type: namesParameter(
        "Only artefacts of these kinds.",
        "Standard,Failure",
        StructuralType.options,
      )
        .transform(namesIn)
        .pipe(z.array(StructuralType)),
      agent: z
        .string()
        .min(1)
        .max(40)
        .optional()
        .openapi({ description: "Only what this agent has made." }),
      thread: LogicalId.optional().openapi({
        description: "Only the versions of this thread (`logical_id`).",
      }),
      order: orderParameter,
      ...pageParameters,
    }),
  },
  responses: { 200: json(listOf(ArtefactItem, "ArtefactList"), "The artefacts."), ...findProblems },
});

const readArtefact = createRoute({
  method: "get",
  path: "/v1/artefacts/{id}",
  tags,
  summary: "Read an artefact, with the claims about it and the grant that made it",
  security,
  request: { params: idParameter("an artefact") },
  responses: { 200: json(ArtefactDetails, "The artefact."), ...findProblems },
});

export function addArtefactRoutes(api: Api, parts: Parts): void {
  const { board, deps, goals, artefacts } = parts;

  api.openapi(listArtefacts, async (context) => {
    const {
      goal,
      type: types,
      structural_type: kinds,
      agent,
      thread,
      ...page
    } = context.req.valid("query");
    const whole = goal === undefined ? undefined : await resolveGoalId(board, goal, deps.suggest);
    const list = thread === undefined ? artefactList(board, whole) : versionsOf(parts, thread);
    const costs = whole === undefined ? undefined : await goals.costs(whole);
    const isWanted = (one: ArtefactView) =>
      (types.length === 0 || types.includes(one.type)) &&
      (kinds.length === 0 || kinds.includes(one.structural_type)) &&
      (agent === undefined || one.produced_by_agent === agent) &&
      (whole === undefined || one.goal_id === whole);
    const read = async (ids: readonly ArtefactId[]) => {
      const wanted = new Map(
        (await artefacts.read(ids, costs)).filter(isWanted).map((one) => [one.id, one]),
      );
      return ids.map((id) => wanted.get(id));
    };
    const isFiltered = types.length + kinds.length > 0 || agent !== undefined;
    return context.json(await pageOf(list, page, read, reachOf(isFiltered)), 200);
  });

  api.openapi(readArtefact, async (context) => {
    const { id: text } = context.req.valid("param");
    const id = await resolveArtefactId(board, text, deps.suggest);
    const artefact = await board.readArtefact(id);
    if (artefact === undefined) throw notFound(text, "artefact", deps.suggest);
    const [costs, situation, claims, maker] = await Promise.all([
      goals.costs(artefact.goal_id),
      readSituation(board, deps.suggest),
      board.claimsOfArtefact(id).then((causes) => board.readClaims([...causes.values()])),
      madeBy(board, artefact),
    ]);
    const [head] = await artefacts.read([id], costs);
    if (head === undefined) throw notFound(text, "artefact", deps.suggest);
    const grant = maker && grantThatMade(maker, artefact);
    const details = {
      ...head,
      payload_begins: artefact.payload.slice(0, beginsWith).toWellFormed(),
      claims: claims.map((claim) => claimView(claim, situation)),
      made_by:
        maker === undefined || grant === undefined ? null : { claim_id: maker.claim.id, grant },
    };
    return context.json(details, 200);
  });
}

/** Version 1 comes first. */
function versionsOf({ board }: Parts, thread: LogicalId): PagedList<ArtefactId> {
  return {
    count: async () => (await board.readThread(thread)).length,
    list: async ({ from, count }) => (await board.readThread(thread)).slice(from, from + count),
  };
}
