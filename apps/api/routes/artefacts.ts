// /v1/artefacts: list them, read one.
import { z } from "@hono/zod-openapi";
import {
  ArtefactDetails,
  ArtefactHead,
  ArtefactItem,
  NewArtefact,
} from "../../../lib/api/artefact.ts";
import {
  findProblems,
  goalParameter,
  idParameter,
  json,
  jsonBody,
  listOf,
  namesIn,
  namesParameter,
  orderParameter,
  pageParameters,
  writeProblems,
} from "../../../lib/api/common.ts";
import { Story } from "../../../lib/api/story.ts";
import { checkedText, textKinds } from "../../../lib/client/actions/checked-text.ts";
import {
  type PostedContent,
  type PostedInput,
  postArtefact,
} from "../../../lib/client/actions/post-artefact.ts";
import { readSituation } from "../../../lib/client/facts/goal.ts";
import { artefactList, type PagedList } from "../../../lib/client/facts/pages.ts";
import {
  notFound,
  resolveArtefactId,
  resolveGoalId,
} from "../../../lib/client/facts/resolve-id.ts";
import { readStory } from "../../../lib/client/facts/story.ts";
import { storyOfBoard } from "../../../lib/client/facts/story-of-board.ts";
import { type Artefact, StructuralType } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ArtefactId, LogicalId } from "../../../lib/model/ids.ts";
import { causeOf } from "../access/idempotency.ts";
import type { Api } from "../env.ts";
import type { ArtefactView } from "../facts/artefact-views.ts";
import { claimView } from "../facts/claim-view.ts";
import { headOf } from "../facts/inquiry-view.ts";
import { grantThatMade, madeBy } from "../facts/made-by.ts";
import { fewStories } from "../heavy-reads.ts";
import { pageOf, reachOf } from "../paging.ts";
import type { Parts } from "../parts.ts";
import { readRoute, writeRoute } from "../route.ts";
import { commitNamed, repositoryOf } from "./goals.ts";

const tags = ["Artefacts"];
const beginsWith = 4_000;

const listArtefacts = readRoute("/v1/artefacts", {
  tags,
  summary: "List the artefacts",
  description:
    "Without their payloads. Where a filter leaves most of them out, a page may have fewer items than `limit`, and a cursor.",
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

const readArtefact = readRoute("/v1/artefacts/{id}", {
  tags,
  summary: "Read an artefact, with the claims about it and the grant that made it",
  request: { params: idParameter("an artefact") },
  responses: { 200: json(ArtefactDetails, "The artefact."), ...findProblems },
});

const tellStory = readRoute("/v1/artefacts/{id}/why", {
  tags,
  summary: "Tell why an artefact is there: who asked, who did it, from what",
  request: { params: idParameter("an artefact") },
  responses: { 200: json(Story, "What the record says."), ...findProblems },
});

const postNew = writeRoute("/v1/artefacts", "post", {
  tags,
  summary: "Post an artefact in a goal that is there",
  description:
    "A text or a commit of your own, as something new or as the next version of another artefact, whose work then ends. It is on record by your name, and agents bid on it.",
  request: { body: jsonBody(NewArtefact) },
  responses: { 201: json(ArtefactHead, "The artefact."), ...writeProblems },
});

export function addArtefactRoutes(api: Api, parts: Parts): void {
  const { board, deps, goals, artefacts } = parts;
  const stories = fewStories();

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

  api.openapi(postNew, async (context) => {
    const body = context.req.valid("json");
    const id = causeOf(context);
    const posted = await postInGoal(parts, {
      type: body.type,
      content: await contentOf(parts, body),
      from: body.from,
      versionOf: body.version_of,
      actor: context.var.caller.actor,
      suggest: deps.suggest,
      ...(id !== undefined && { id: ArtefactId.parse(id) }),
    });
    context.set("goal", posted.goal_id);
    return context.json(headOf(posted), 201);
  });

  api.openapi(tellStory, async (context) => {
    const { id: text } = context.req.valid("param");
    const id = await resolveArtefactId(board, text, deps.suggest);
    // The volume with the sealed log is the notary's alone.
    const source = storyOfBoard(board, async () => undefined);
    const story = await stories.run(() => readStory(source, id, deps.suggest));
    return context.json({ ...story, sealed: null }, 200);
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

/** As `postArtefact`. Throws `not-ready` for a commit where the API sees no repository. */
export async function postInGoal(
  parts: Pick<Parts, "board" | "deps">,
  input: PostedInput,
): Promise<Artefact> {
  const { instance } = parts.board;
  const isCommit = "commit" in input.content;
  const repository = isCommit ? await repositoryOf(parts).posting(instance) : undefined;
  return await postArtefact(parts.board, repository, input);
}

/** Throws `usage` unless it is either a text or a commit. */
async function contentOf(
  parts: Pick<Parts, "deps">,
  { text, commit }: z.infer<typeof NewArtefact>,
): Promise<PostedContent> {
  if (text !== undefined && commit === undefined)
    return { text: checkedText(text, textKinds.content) };
  if (commit !== undefined && text === undefined)
    return { commit: await commitNamed(repositoryOf(parts), commit) };
  throw new SettError("usage", "The body needs either `text` or `commit`.");
}

/** Version 1 comes first. */
function versionsOf({ board }: Parts, thread: LogicalId): PagedList<ArtefactId> {
  return {
    count: async () => (await board.readThread(thread)).length,
    list: async ({ from, count }) => (await board.readThread(thread)).slice(from, from + count),
  };
}
