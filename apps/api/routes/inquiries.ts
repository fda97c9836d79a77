// Routes of what waits for a person: questions and approvals, and how they are answered and judged.
import { z } from "@hono/zod-openapi";
import { ArtefactHead } from "../../../lib/api/artefact.ts";
import {
  emptyBody,
  findProblems,
  goalParameter,
  idParameter,
  json,
  jsonBody,
  pageParameters,
  writeProblems,
} from "../../../lib/api/common.ts";
import { ApprovalList, InquiryList, QuestionList, Verdict } from "../../../lib/api/inquiry.ts";
import { checkedText, textKinds } from "../../../lib/client/actions/checked-text.ts";
import {
  findJudged,
  type Verdict as GivenVerdict,
  judge,
  whyNotCounted,
} from "../../../lib/client/actions/judge.ts";
import {
  answersOf,
  postAnswer,
  whyQuestionClosed,
} from "../../../lib/client/actions/post-answer.ts";
import type { Sign } from "../../../lib/client/actions/sign.ts";
import {
  type SignedStatement,
  signedElsewhere,
  statementBefore,
} from "../../../lib/client/actions/sign-elsewhere.ts";
import {
  type Inquiry,
  inquiryKey,
  type KnownInquiry,
  listInquiries,
  readEach,
} from "../../../lib/client/facts/inquiries.ts";
import { resolveGoalId, resolveQuestion } from "../../../lib/client/facts/resolve-id.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { meanings } from "../../../lib/model/meaning.ts";
import type { Api, RequestContext } from "../env.ts";
import { headOf, inquiryView } from "../facts/inquiry-view.ts";
import type { Parts } from "../parts.ts";
import { readRoute, writeRoute } from "../route.ts";

const tags = ["People"];
const { cursor } = pageParameters;
/** More than an instance most often has, so that one answer is all of them. */
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(500)
  .default(500)
  .openapi({ description: "How many items, from 1 to 500.", example: 50 });
const query = z.strictObject({ goal: goalParameter, limit, cursor });
const oldestFirst = "The oldest comes first. A page has fewer items where they are long.";
/** The questions of one answer have at most so many. */
const maxChars = 8 * 1024 ** 2;

const listInquiriesRoute = readRoute("/v1/inquiries", {
  tags,
  summary: "List the questions and approvals that wait for a person",
  request: { query },
  responses: { 200: json(InquiryList, oldestFirst), ...findProblems },
});

const listQuestions = readRoute("/v1/questions", {
  tags,
  summary: "List the questions that wait for an answer",
  request: { query },
  responses: { 200: json(QuestionList, oldestFirst), ...findProblems },
});

const listApprovals = readRoute("/v1/approvals", {
  tags,
  summary: "List the artefacts that wait for a person's verdict",
  request: { query },
  responses: { 200: json(ApprovalList, oldestFirst), ...findProblems },
});

const signedBody = z
  .strictObject({ statement: z.string().max(600_000), signature: z.string().max(20_000) })
  .optional()
  .openapi({
    description:
      "The bytes of `GET …/statement`, and what `ssh-keygen -Y sign -n statement@sett.dev` has made of them.",
  });
const meaning = z.enum(meanings).optional().openapi({ description: "What the signature means." });
const Statement = z
  .strictObject({
    statement: z.string().openapi({ description: "These bytes are signed, as they are." }),
    namespace: z.literal("statement@sett.dev"),
  })
  .openapi("Statement");
const beforeSigning = {
  200: json(Statement, "What is to be signed. Nothing is posted."),
  ...findProblems,
};

const answer = writeRoute("/v1/questions/{id}/answer", "answer", {
  tags,
  summary: "Answer a question",
  description:
    "The first answer counts. A question about the goal is answered with the whole new text of the goal, one about a budget with an amount, which needs the right `budget`.",
  request: {
    params: idParameter("a question"),
    body: jsonBody(
      z
        .strictObject({
          text: z.string().openapi({ example: "The green one" }),
          signed: signedBody,
        })
        .openapi("NewAnswer"),
    ),
  },
  responses: { 201: json(ArtefactHead, "The Answer."), ...writeProblems },
});

const speaker = z.string().min(1).max(40).optional().openapi({
  description:
    "The agent of sett.yml for which you speak; needed where the artefact waits for several people.",
});

const comment = z.string().optional().openapi({
  description: "What you say with it, on record. Empty: nothing.",
  example: "Good, and faster than before",
});

const approve = writeRoute("/v1/artefacts/{id}/approve", "approve", {
  tags,
  summary: "Approve an artefact that waits for a person's verdict",
  description:
    "Where several people have to approve it, the answer says in `approvals` how far it is, and in `may_approve` who may be next.",
  request: {
    params: idParameter("an artefact"),
    body: {
      ...emptyBody.body,
      content: {
        "application/json": {
          schema: z
            .strictObject({ reason: comment, for: speaker, signed: signedBody })
            .openapi("Approve"),
        },
      },
    },
  },
  responses: { 201: json(Verdict, "The Review."), ...writeProblems },
});

const reject = writeRoute("/v1/artefacts/{id}/reject", "approve", {
  tags,
  summary: "Reject an artefact that waits for a person's verdict",
  description: "The agent that made it makes the next version, with the reason among its inputs.",
  request: {
    params: idParameter("an artefact"),
    body: jsonBody(
      z
        .strictObject({
          reason: z.string().openapi({ example: "The date is wrong" }),
          for: speaker,
          signed: signedBody,
        })
        .openapi("Reject"),
    ),
  },
  responses: { 201: json(Verdict, "The Review."), ...writeProblems },
});

const answerStatement = readRoute("/v1/questions/{id}/statement", {
  tags,
  summary: "Read what a person signs to answer a question",
  request: {
    params: idParameter("a question"),
    query: z.strictObject({ text: z.string(), meaning }),
  },
  responses: beforeSigning,
});

const verdictStatement = readRoute("/v1/artefacts/{id}/statement", {
  tags,
  summary: "Read what a person signs to approve or reject an artefact",
  request: {
    params: idParameter("an artefact"),
    query: z.strictObject({
      act: z.enum(["approve", "reject"]),
      reason: z.string().optional(),
      for: speaker,
      meaning,
    }),
  },
  responses: beforeSigning,
});

export function addInquiryRoutes(api: Api, parts: Parts): void {
  addLists(api, parts);
  addAnswers(api, parts);
  addVerdicts(api, parts);
}

function addLists(api: Api, { board, deps }: Parts): void {
  const { suggest } = deps;
  const read = async <Kind extends KnownInquiry["kind"]>(
    context: RequestContext,
    { goal, limit, cursor }: z.infer<typeof query>,
    kinds: readonly Kind[],
  ) => {
    const id = goal === undefined ? undefined : await resolveGoalId(board, goal, suggest);
    const all = (await listInquiries(board, id)).filter(({ kind }) => isOneOf(kinds, kind));
    const from = cursor === undefined ? 0 : placeOf(all, cursor);
    const page = all.slice(from, from + limit);
    const { inquiries, next } = await readEach(board, page, maxChars);
    const last = page[next - 1];
    const caller = { actor: context.var.caller.actor, agents: await board.listAgents() };
    const views = inquiries.map((one) => inquiryView(one, notCountedIn(one, caller)));
    return {
      items: views.filter((one): one is Extract<typeof one, { kind: Kind }> =>
        isOneOf(kinds, one.kind),
      ),
      next: last === undefined || from + next >= all.length ? null : cursorOf(last),
    };
  };

  api.openapi(listInquiriesRoute, async (context) =>
    context.json(await read(context, context.req.valid("query"), ["question", "approval"]), 200),
  );
  api.openapi(listQuestions, async (context) =>
    context.json(await read(context, context.req.valid("query"), ["question"]), 200),
  );
  api.openapi(listApprovals, async (context) =>
    context.json(await read(context, context.req.valid("query"), ["approval"]), 200),
  );
}

function addAnswers(api: Api, parts: Parts): void {
  const {
    board,
    deps: { suggest },
  } = parts;
  const answerWith = async (
    context: RequestContext,
    { id: named, text: typed }: { id: string; text: string },
    signing: Signing,
  ) => {
    const text = checkedText(typed, textKinds.answer);
    const question = await resolveQuestion(board, named, suggest);
    context.set("goal", question.goal_id);
    const why = await whyQuestionClosed(board, question, suggest);
    if (why !== undefined) throw closed(why, parts);
    const { actor, rights } = context.var.caller;
    const result = await postAnswer(board, question, text, {
      actor,
      suggest,
      may: answersOf(rights),
      ...signing,
    });
    if (result.outcome === "closed") throw closed(result.why, parts);
    return headOf(result.answer);
  };
  api.openapi(answer, async (context) => {
    const { text, signed } = context.req.valid("json");
    const about = { id: context.req.valid("param").id, text };
    return context.json(await answerWith(context, about, signingOf(signed)), 201);
  });
  api.openapi(answerStatement, async (context) => {
    const { text, meaning } = context.req.valid("query");
    const about = { id: context.req.valid("param").id, text };
    const act = (sign: Sign) => answerWith(context, about, { sign });
    return context.json(await statementBefore(act, meaning), 200);
  });
}

function addVerdicts(api: Api, { board, deps: { suggest } }: Parts): void {
  const give = async (
    context: RequestContext,
    id: string,
    verdict: Pick<GivenVerdict, "approves" | "reason">,
    { speaks, signing }: { speaks: string | undefined; signing: Signing },
  ) => {
    const { actor } = context.var.caller;
    const judged = await findJudged(board, id, { speaker: speaks, actor, suggest });
    context.set("goal", judged.artefact.goal_id);
    const { review, more } = await judge(board, judged, { ...verdict, actor, suggest, ...signing });
    return { ...headOf(review), ...more };
  };
  api.openapi(approve, async (context) => {
    const { reason, for: speaks, signed } = context.req.valid("json");
    const how = { speaks, signing: signingOf(signed) };
    return context.json(
      await give(context, context.req.valid("param").id, approval(reason), how),
      201,
    );
  });
  api.openapi(reject, async (context) => {
    const { reason, for: speaks, signed } = context.req.valid("json");
    const how = { speaks, signing: signingOf(signed) };
    return context.json(
      await give(context, context.req.valid("param").id, rejection(reason), how),
      201,
    );
  });
  api.openapi(verdictStatement, async (context) => {
    const { act: word, reason, for: speaks, meaning } = context.req.valid("query");
    const verdict = word === "approve" ? approval(reason) : rejection(reason ?? "");
    const { id } = context.req.valid("param");
    const act = (sign: Sign) => give(context, id, verdict, { speaks, signing: { sign } });
    return context.json(await statementBefore(act, meaning), 200);
  });
}

type Signing = Partial<ReturnType<typeof signedElsewhere>>;

function signingOf(signed: SignedStatement | undefined): Signing {
  return signed === undefined ? {} : signedElsewhere(signed);
}

function approval(reason = ""): Pick<GivenVerdict, "approves" | "reason"> {
  const words = reason.trim() === "" ? undefined : checkedText(reason, textKinds.comment);
  return { approves: true, reason: words };
}

function rejection(reason: string): Pick<GivenVerdict, "approves" | "reason"> {
  return { approves: false, reason: checkedText(reason, textKinds.reason) };
}

function closed(why: string, { deps: { suggest } }: Parts): SettError {
  return new SettError("blackboard-refused", why, {
    hint: `\`${suggest("questions")}\` lists the questions that wait for an answer.`,
  });
}

/** The sentence with which an approval of the caller would be refused. */
function notCountedIn(
  inquiry: Inquiry,
  caller: { actor: Actor; agents: readonly RegisteredAgent[] },
): string | undefined {
  if (inquiry.kind === "question" || inquiry.approvals === undefined) return undefined;
  const { agent, approvals, artefact } = inquiry;
  return whyNotCounted(agent, approvals, { artefact, ...caller });
}

function isOneOf<Kind extends string>(kinds: readonly Kind[], kind: string): kind is Kind {
  return kinds.some((one) => one === kind);
}

/** Names an entry by its time and its key, so that it leads on where the entry is gone. */
function cursorOf(one: KnownInquiry): string {
  return Buffer.from(`${Date.parse(one.since)} ${inquiryKey(one)}`).toString("base64url");
}

/** The first entry after the one that the cursor names. */
function placeOf(all: readonly KnownInquiry[], cursor: string): number {
  const plain = Buffer.from(cursor, "base64url").toString("utf8");
  const [, time, key] = /^(\d{1,15}) ([\w -]{1,200})$/.exec(plain) ?? [];
  if (time === undefined || key === undefined)
    throw new SettError(
      "usage",
      "The cursor cannot be used. It is not one that a list has answered.",
      {
        hint: "Give `next` of the page before, or leave it out.",
      },
    );
  const isLater = (one: KnownInquiry) =>
    Date.parse(one.since) - Number(time) || (inquiryKey(one) > key ? 1 : -1);
  const place = all.findIndex((one) => inquiryKey(one) !== key && isLater(one) > 0);
  return place === -1 ? all.length : place;
}
