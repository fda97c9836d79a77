// /v1/claims: list them, read one, try a failed one again.
import { z } from "@hono/zod-openapi";
import { ClaimView } from "../../../lib/api/claim.ts";
import {
  emptyBody,
  findProblems,
  goalParameter,
  idParameter,
  json,
  listOf,
  pageParameters,
  writeProblems,
} from "../../../lib/api/common.ts";
import { retryFailure } from "../../../lib/client/actions/control.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import { artefactList } from "../../../lib/client/facts/pages.ts";
import { resolveFailure, resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { failuresOf } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { Api, RequestContext } from "../env.ts";
import { bidReasons } from "../facts/bid-reasons.ts";
import { claimView } from "../facts/claim-view.ts";
import { findClaim } from "../facts/find-claim.ts";
import { pageOf, reachOf } from "../paging.ts";
import type { Parts } from "../parts.ts";
import { readRoute, writeRoute } from "../route.ts";

const tags = ["Claims"];
const artefactsReach = { lookedAt: 5_000, atOnce: 100 };

const listClaims = readRoute("/v1/claims", {
  tags,
  summary: "List the claims",
  description:
    "The newest come first: the open ones, or with `open=false` all of them, by the artefacts that they are about.",
  request: {
    query: z.strictObject({
      goal: goalParameter,
      open: z
        .enum(["true", "false"])
        .default("true")
        .openapi({ description: "Only claims that have not ended." }),
      ...pageParameters,
    }),
  },
  responses: { 200: json(listOf(ClaimView, "ClaimList"), "The claims."), ...findProblems },
});

const readClaim = readRoute("/v1/claims/{id}", {
  tags,
  summary: "Read a claim: its bids, its phases, its grants, and who is waited for",
  request: { params: idParameter("a claim. Of a claim that has ended, give the whole id") },
  responses: { 200: json(ClaimView, "The claim."), ...findProblems },
});

const Retried = z
  .strictObject({ id: z.string(), failure: z.string(), goal_id: z.string() })
  .openapi("Retried");
const retried = json(
  Retried,
  "`id` is the new claim, in place of the one that ended with this Failure.",
);

const retryClaim = writeRoute("/v1/claims/{id}/retry", "control", {
  tags,
  summary: "Try a failed claim again",
  request: { params: idParameter("a claim that has ended with a Failure"), ...emptyBody },
  responses: { 200: retried, ...writeProblems },
});

const retryArtefact = writeRoute("/v1/artefacts/{id}/retry", "control", {
  tags,
  summary: "Try again what has ended with this Failure",
  request: { params: idParameter("a Failure"), ...emptyBody },
  responses: { 200: retried, ...writeProblems },
});

export function addClaimRoutes(api: Api, { board, deps, asker }: Parts): void {
  const { suggest } = deps;

  api.openapi(listClaims, async (context) => {
    const { goal: text, open, ...page } = context.req.valid("query");
    const goal = text === undefined ? undefined : await resolveGoalId(board, text, suggest);
    const situation = await readSituation(board, suggest);
    const request = { ...page, order: "desc" as const };
    if (open === "true") {
      const wanted = situation.open.filter(
        ({ claim }) => goal === undefined || claim.goal_id === goal,
      );
      const byId = new Map(wanted.map((snapshot) => [snapshot.claim.id, snapshot]));
      const ids = [...byId.keys()];
      const list = {
        count: async () => ids.length,
        list: async (at: { from: number; count: number }) => ids.slice(at.from, at.from + at.count),
      };
      const answer = await pageOf(list, request, async (some) =>
        some.map((id) => {
          const snapshot = byId.get(id);
          return snapshot && claimView(snapshot, situation);
        }),
      );
      return context.json(answer, 200);
    }
    // Claims have no list of their own: they are found by their artefacts.
    const answer = await pageOf(
      artefactList(board, goal),
      request,
      async (ids) => await Promise.all(ids.map(async (id) => await claimsOn(id))),
      reachOf(true, artefactsReach),
    );
    return context.json(
      { items: answer.items.flat().map((one) => claimView(one, situation)), next: answer.next },
      200,
    );
  });

  const claimsOn = async (id: ArtefactId) => {
    const claims = await board.readClaims([...(await board.claimsOfArtefact(id)).values()]);
    return claims.length === 0 ? undefined : claims;
  };

  api.openapi(readClaim, async (context) => {
    const snapshot = await findClaim(board, context.req.valid("param").id);
    const [situation, reasons] = await Promise.all([
      readSituation(board, suggest),
      bidReasons(board, snapshot),
    ]);
    return context.json(claimView(snapshot, situation, reasons), 200);
  });

  const retry = async (context: RequestContext, failure: Artefact) => {
    context.set("goal", failure.goal_id);
    const { claim } = await retryFailure(asker, failure, context.var.caller.actor);
    return { id: claim, failure: failure.id, goal_id: failure.goal_id };
  };

  api.openapi(retryClaim, async (context) => {
    const failed = await findClaim(board, context.req.valid("param").id);
    const { claim } = failed;
    const failure = failuresOf(failed).at(-1);
    if (failure === undefined)
      throw new SettError(
        "request-refused",
        `Claim ${claim.id} is ${claim.status}, and has not ended with a Failure.`,
        {
          hint: "Only a claim that has ended with a Failure can be tried again.",
        },
      );
    return context.json(await retry(context, await resolveFailure(board, failure, suggest)), 200);
  });

  api.openapi(retryArtefact, async (context) =>
    context.json(
      await retry(context, await resolveFailure(board, context.req.valid("param").id, suggest)),
      200,
    ),
  );
}
