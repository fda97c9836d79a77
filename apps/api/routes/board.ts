// A command line of Sett uses these routes (SETT_API): calls of the blackboard, and packs of
// commits. They are no part of the documented API, because they change with each version.

import { z } from "zod";
import { answersOf, mayNeither } from "../../../lib/client/actions/post-answer.ts";
import { notFound as noArtefact, resolveArtefactId } from "../../../lib/client/facts/resolve-id.ts";
import {
  isRemoteCall,
  maxReadsTogether,
  mayBeTogether,
  type RemoteCallName,
  readsTogether,
} from "../../../lib/client/remote/calls.ts";
import { decode, encode } from "../../../lib/client/remote/codec.ts";
import { goalOfCall } from "../../../lib/client/remote/goal-of-call.ts";
import { type CallDeps, rightOf, serveCall } from "../../../lib/client/remote/serve-call.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { type Api, requireRight } from "../env.ts";
import { answerBody } from "../large-answers.ts";
import type { Parts } from "../parts.ts";
import { postInGoal } from "./artefacts.ts";
import { commitsIn } from "./commits.ts";
import { repositoryOf } from "./goals.ts";

type Posted = Parameters<CallDeps["postGoal"]>[0];

const TogetherName = z.custom<RemoteCallName>(
  (name) => typeof name === "string" && isRemoteCall(name) && mayBeTogether(name),
);
const Reads = z
  .array(z.tuple([TogetherName, z.unknown()]))
  .min(1)
  .max(maxReadsTogether);

const asJson = { "content-type": "application/json" };

/** The person reads it at a command line. */
const suggest = suggestFor(undefined);

export function addBoardRoutes(api: Api, parts: Parts): void {
  const { board } = parts;

  // The gate has seen that the caller may read. The command line asks for each alone when one of
  // them fails.
  api.post(`/v1/board/${readsTogether}`, async (context) => {
    const deps = {
      board,
      actor: context.var.caller.actor,
      may: mayNeither,
      suggest,
      postGoal: neverPosts,
      postArtefact: neverPosts,
    };
    const calls = Reads.safeParse(argumentsIn(await context.req.text())).data;
    if (calls === undefined)
      throw new SettError(
        "usage",
        `Only 1 to ${maxReadsTogether} calls that read are answered together.`,
      );
    const values = await Promise.all(calls.map(([name, args]) => serveCall(name, args, deps)));
    return context.body(await answerBody(encode(values), parts.deps.folder), 200, asJson);
  });

  api.post("/v1/board/:call", async (context) => {
    const name = context.req.param("call");
    const { caller } = context.var;
    if (!isRemoteCall(name)) throw unknownCall(name);
    const args = argumentsIn(await context.req.text());
    requireRight(caller, rightOf(name, args));
    const may = answersOf(caller.rights);
    const postGoal = (goal: Posted) => repositoryOf(parts).postGoal(board, goal);
    const postArtefact: CallDeps["postArtefact"] = (input) =>
      postInGoal(parts, { ...input, suggest });
    const deps = { board, actor: caller.actor, may, suggest, postGoal, postArtefact };
    const setGoal = async () => {
      const goal = rightOf(name, args) === "read" ? undefined : await goalOfCall(name, args, board);
      if (goal !== undefined) context.set("goal", goal);
    };
    const value = await serveCall(name, args, deps).finally(setGoal);
    return context.body(await answerBody(encode(value), parts.deps.folder), 200, asJson);
  });

  api.get("/v1/artefacts/:id/commit.pack", async (context) => {
    const text = context.req.param("id");
    const artefact = await board.readArtefact(await resolveArtefactId(board, text, suggest));
    if (artefact === undefined) throw noArtefact(text, "artefact", suggest);
    const have = context.req.query("have");
    const known = have === undefined ? undefined : commitsIn(have);
    return context.body(await repositoryOf(parts).pack(board, artefact, known), 200, {
      "content-type": "application/octet-stream",
    });
  });
}

async function neverPosts(): Promise<never> {
  throw new SettError("usage", "What only reads posts nothing.");
}

/** Throws `usage`. */
function argumentsIn(text: string): unknown {
  try {
    return decode(text);
  } catch (cause) {
    throw new SettError("usage", "The arguments of the call are no JSON.", { cause });
  }
}

function unknownCall(name: string): SettError {
  return new SettError(
    "not-found",
    `The API has no call \`${name.slice(0, 60)}\` of the blackboard.`,
    {
      hint: "Do the command line and the API have the same version?",
    },
  );
}
