// Questions, answers and verdicts, in Redis.

import type { DoneGrant, WaitingGrant } from "../../model/claim.ts";
import { ArtefactId, type ClaimId } from "../../model/ids.ts";
import type { PeopleBoard } from "../port/people.ts";
import { endData, rejection } from "../records/ended-grant.ts";
import { textOfGrant } from "./claim-fields.ts";
import type { Deps } from "./deps.ts";
import type { PauseBoard } from "./pauses.ts";
import { artefactRecord } from "./records.ts";

/** All are among the inputs of each later grant. */
const maxRemarks = 100;

export function peopleOf({
  connection,
  keys,
  call,
}: Deps): Omit<PeopleBoard, "tell" | keyof PauseBoard> {
  const keysOfQuestion = (id: ArtefactId) => ({
    question_artefact: keys.artefact(id),
    question: keys.question(id),
  });
  return {
    async listOpenQuestions() {
      return (await connection.run((client) =>
        client.zRange(keys.openQuestions, 0, -1),
      )) as ArtefactId[];
    },

    askPeople({ question, epoch }) {
      const stored = {
        orchestrator: keys.orchestrator,
        ...keysOfQuestion(question),
        open_questions: keys.openQuestions,
      };
      return call("askPeople", stored, { epoch, question });
    },

    async answerQuestion(answer, actor) {
      const [question] = answer.source_artefacts;
      if (question === undefined)
        return { outcome: "refused", reason: "The answer names no question." };
      const reply = await call("answerQuestion", keysOfQuestion(question), {
        question,
        actor,
        answer: artefactRecord(answer),
      });
      return reply.outcome === "taken"
        ? { outcome: "taken", answer: ArtefactId.parse(reply.answer) }
        : reply;
    },

    async answersOf(questions) {
      const answers = await connection.run((client) =>
        Promise.all(questions.map((question) => client.hGet(keys.question(question), "answer"))),
      );
      return answers.map((answer) => (answer === null ? undefined : (answer as ArtefactId)));
    },

    recordVerdict({ grant, review, digest, actor }) {
      // The function says so where there is no such claim.
      const claim = review.claim_id as ClaimId;
      // Whether it rejects is read from the Review itself, whatever the caller says of it.
      const next = grant.state === "done" ? { ...grant, ...rejection(review) } : grant;
      return call(
        "recordVerdict",
        { claim: keys.claim(claim), grants: keys.grants(claim), digests: keys.artefactDigests },
        {
          review: artefactRecord(review),
          attempt: grant.attempt,
          grant: textOfGrant(next),
          is_last: next.state === "done",
          approved: givenBefore(next),
          judged_digest: digest,
          actor,
          event_data: JSON.stringify(endData(next)),
        },
      );
    },
  };
}

/** How many have approved before: a grant that rejects says nothing of them. */
function givenBefore(grant: DoneGrant | WaitingGrant): number {
  const approvals = grant.quorum?.approvals?.length ?? 0;
  return grant.state === "waiting" ? approvals - 1 : approvals;
}

export function remarksOf({ keys, call }: Deps): Pick<PeopleBoard, "tell"> {
  return {
    async tell({ words: remark, claim = "", actor }) {
      const words = artefactRecord(remark);
      const goal = keys.goal(remark.goal_id);
      const reply = await call("tell", { goal }, { words, claim, actor, max: maxRemarks });
      return reply.outcome === "stored"
        ? { outcome: "stored", claims: Number(reply.claims) }
        : reply;
    },
  };
}
