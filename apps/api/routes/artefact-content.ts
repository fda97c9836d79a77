// Routes that show what is behind an artefact: its content, what its agent was given, what its
// commit changes, and what its model was asked.
import { z } from "@hono/zod-openapi";
import { ArtefactItem } from "../../../lib/api/artefact.ts";
import { Brief, ChangedFiles } from "../../../lib/api/brief.ts";
import { findProblems, idParameter, json } from "../../../lib/api/common.ts";
import { Transcript } from "../../../lib/api/transcript.ts";
import { briefJson, briefOf } from "../../../lib/client/facts/brief.ts";
import { notFound, resolveArtefactId } from "../../../lib/client/facts/resolve-id.ts";
import { requireResultCommit } from "../../../lib/client/facts/result-commit.ts";
import { readTranscript, transcriptJson } from "../../../lib/client/facts/transcript.ts";
import { type Since, sinceNames } from "../../../lib/client/facts/work.ts";
import { changedFiles } from "../../../lib/client/text/changed-files.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { type StreamName, streamNames } from "../../../lib/model/kept-output.ts";
import type { Conversation } from "../../../lib/models/transcript.ts";
import type { Part } from "../../../lib/models/transcript-parts.ts";
import type { Api, RequestContext } from "../env.ts";
import { etagOf, matches } from "../etags.ts";
import { inputsOf, madeBy } from "../facts/made-by.ts";
import { answerBody } from "../large-answers.ts";
import type { Parts } from "../parts.ts";
import { readRoute } from "../route.ts";
import { repositoryOf } from "./goals.ts";

const tags = ["Artefacts"];
const params = idParameter("an artefact");
const text = (description: string) => ({
  description,
  content: { "text/plain": { schema: z.string() } },
});

const sinceQuery = z.strictObject({
  since: z.enum(sinceNames).default("goal").openapi({
    description:
      "`goal`: all that it changes since the commit of the goal. Only a part: `version`, since the version before; `verdict`, since the version on which the caller gave the last verdict; `start`, since the result that it is based on. 404 where there is none.",
  }),
});

const content = readRoute("/v1/artefacts/{id}/content", {
  tags,
  summary: "Read the payload of an artefact, byte for byte",
  request: { params },
  responses: { 200: text("The payload."), ...findProblems },
});

const context = readRoute("/v1/artefacts/{id}/context", {
  tags,
  summary: "List what the agent that made it was given",
  description:
    "The target comes first, then the context, as the grant has it on record. Empty for what no agent has made.",
  request: { params },
  responses: {
    200: json(z.strictObject({ items: z.array(ArtefactItem) }).openapi("Inputs"), "The inputs."),
    ...findProblems,
  },
});

const diff = readRoute("/v1/artefacts/{id}/diff", {
  tags,
  summary: "Read what the commit of an artefact changes",
  description:
    "A unified diff, after its commits, as `sett unearth` names them. Lines that begin with `!` before the first commit are warnings. After git's line of a binary file are its sizes: `Bin 2000 -> 3000 bytes`.",
  request: { params, query: sinceQuery },
  responses: { 200: text("The diff."), ...findProblems },
});

const files = readRoute("/v1/artefacts/{id}/files", {
  tags,
  summary: "List the files that the commit of an artefact changes",
  description: "The first thousand, with how many lines of each; of submodules only the name.",
  request: { params, query: sinceQuery },
  responses: { 200: json(ChangedFiles, "The files."), ...findProblems },
});

const brief = readRoute("/v1/artefacts/{id}/brief", {
  tags,
  summary: "Read what a person should know who judges an artefact",
  description:
    "Beside what it changes: the text of the goal, what others say of it, what was checked, what the caller has said of earlier versions, and the cost.",
  request: { params },
  responses: { 200: json(Brief, "All of it."), ...findProblems },
});

const transcript = readRoute("/v1/artefacts/{id}/transcript", {
  tags,
  summary: "Read the calls of a language model that led to an artefact",
  request: { params },
  responses: {
    200: json(Transcript, "The calls, and the conversations that they make."),
    ...findProblems,
  },
});

const output = readRoute("/v1/artefacts/{id}/output/{stream}", {
  tags,
  summary: "Read what the command that ended with an artefact has printed beside it",
  description:
    "As it was: with colours, and with what was written over. Of more than `limits.output`, the beginning and the end. 404 where nothing is kept.",
  request: {
    params: params.extend({
      stream: z.enum(streamNames).openapi({ param: { name: "stream", in: "path" } }),
    }),
  },
  responses: { 200: text("The bytes."), ...findProblems },
});

/**
 * A browser asks each time whether what it has is still the answer: an artefact may be erased, and
 * another caller and a later verdict have another answer.
 */
const revalidated = { "cache-control": "private, no-cache" };

export function addContentRoutes(api: Api, parts: Parts): void {
  const { board, deps, artefacts, goals } = parts;

  api.openapi(content, async (request) => {
    const artefact = await artefactOf(parts, request.req.valid("param").id);
    return await plainText(parts, request, artefact.payload, etagOf(artefact.payload));
  });

  api.openapi(context, async (request) => {
    const artefact = await artefactOf(parts, request.req.valid("param").id);
    const made = await madeBy(board, artefact);
    return request.json(
      { items: made === undefined ? [] : await artefacts.read(inputsOf(made, artefact)) },
      200,
    );
  });

  const readDiff = async (id: string, since: Since, person: Actor) => {
    const artefact = await artefactOf(parts, id);
    requireResultCommit(artefact);
    return await repositoryOf(parts).changes(board, artefact, { since, person });
  };

  api.openapi(brief, async (request) => {
    const artefact = await artefactOf(parts, request.req.valid("param").id);
    const { graph } = await goals.graph(artefact.goal_id);
    const person = request.var.caller.actor;
    return request.json(briefJson(await briefOf(board, graph, { artefact, person })), 200);
  });

  api.openapi(files, async (request) => {
    const { since } = request.req.valid("query");
    const { id } = request.req.valid("param");
    const listed = changedFiles(await readDiff(id, since, request.var.caller.actor));
    return request.json({ items: listed.files, more: listed.more }, 200);
  });

  api.openapi(diff, async (request) => {
    const { since } = request.req.valid("query");
    const { id } = request.req.valid("param");
    const changes = await readDiff(id, since, request.var.caller.actor);
    const etag = etagOf(changes);
    return await plainText(parts, request, changes, etag);
  });

  api.openapi(output, async (request) => {
    const { id, stream } = request.req.valid("param");
    const artefact = await artefactOf(parts, id);
    const { digest } = (await board.readOutput(artefact.id))?.[stream] ?? {};
    if (digest === undefined) throw nothingKept(artefact, stream);
    if (deps.readOutput === undefined)
      throw new SettError("not-ready", "This API reaches no recorder.", {
        hint: "Who runs the instance reads it on its machine: `sett unearth ID --streams`.",
      });
    const found = await deps.readOutput({ goal: artefact.goal_id, digest });
    if (found === undefined) throw nothingKept(artefact, stream);
    return await plainText(parts, request, found, etagOf(digest));
  });

  api.openapi(transcript, async (request) => {
    const artefact = await artefactOf(parts, request.req.valid("param").id);
    const found = await readTranscript(board, artefact, async (digests) => {
      if (digests.length === 0) return new Map();
      if (deps.readBodies !== undefined) return await deps.readBodies(digests);
      throw new SettError(
        "not-ready",
        "This API reaches no gateway, and only the gateway can read the bodies of calls.",
        {
          hint: "Who runs the instance reads them on its machine: `sett unearth ID --transcript`.",
        },
      );
    });
    return request.json(
      {
        ...transcriptJson(artefact.id, found),
        conversations: found.conversations.map(conversationView),
      },
      200,
    );
  });
}

function nothingKept({ id }: Artefact, stream: StreamName): SettError {
  return new SettError("artefact-not-found", `Nothing is kept of ${stream} beside ${id}.`, {
    hint: "Commands whose artefact is no Failure have only their stderr kept; `limits.output` of sett.yml says how much.",
  });
}

function conversationView({ turns, calls, isAnswered }: Conversation) {
  return {
    turns: turns.map(({ role, parts }) => ({ role, parts: parts.map(partView) })),
    calls,
    is_answered: isAnswered,
  };
}

function partView(part: Part) {
  if (part.kind !== "result") return part;
  const { isError, ...rest } = part;
  return { ...rest, is_error: isError };
}

/** Throws `artefact-not-found`. */
export async function artefactOf(
  { board, deps: { suggest } }: Parts,
  id: string,
): Promise<Artefact> {
  const artefact = await board.readArtefact(await resolveArtefactId(board, id, suggest));
  if (artefact === undefined) throw notFound(id, "artefact", suggest);
  return artefact;
}

/** Never anything that a browser would run. */
async function plainText(
  { deps }: Parts,
  { req }: RequestContext,
  text: string | Uint8Array<ArrayBuffer>,
  etag: string,
) {
  const headers = { ...revalidated, etag };
  if (matches(req.header("if-none-match"), etag))
    return new Response(null, { status: 304, headers }) as never;
  const body = req.method === "HEAD" ? null : await answerBody(text, deps.folder);
  return new Response(body, {
    headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
  }) as never;
}
