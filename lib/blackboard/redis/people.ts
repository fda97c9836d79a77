// What people are asked and what they ask for, in Redis.
import { ArtefactId, type ClaimId } from "../../model/ids.ts";
import type { PeopleBoard } from "../people-port.ts";
import { textOfGrant } from "./claim-fields.ts";
import type { Deps } from "./deps.ts";
import { certainOutcomeOf, outcomeOf } from "./replies.ts";
import { artefactWords } from "./script-arguments.ts";

export function peopleOf({ connection, keys, script }: Deps): PeopleBoard {
  return {
    async listOpenQuestions() {
      return (await connection.run((client) => client.zRange(keys.openQuestions, 0, -1))) as ArtefactId[];
    },

    async askPeople({ question, epoch }) {
      const stored = [keys.orchestrator, keys.artefact(question), keys.question(question), keys.openQuestions];
      const reply = await script("askPeople", stored, [String(epoch), question]);
      return certainOutcomeOf(reply, "asked", "already", "closed", "fenced");
    },

    async answerQuestion(answer, actor) {
      const [question] = answer.source_artefacts;
      if (question === undefined) return { outcome: "refused", reason: "The answer names no question." };
      const stored = [keys.artefact(question), keys.question(question)];
      const reply = await script("answerQuestion", stored, [actor, question, ...artefactWords(answer)]);
      const result = outcomeOf(reply, "answered", "taken");
      return result.outcome === "taken" ? { outcome: "taken", answer: ArtefactId.parse(reply[1]) } : result;
    },

    async answersOf(questions) {
      const answers = await connection.run((client) =>
        Promise.all(questions.map((question) => client.hGet(keys.question(question), "answer"))),
      );
      return answers.map((answer) => (answer === null ? undefined : (answer as ArtefactId)));
    },

    async giveVerdict({ grant, review, digest, actor }) {
      // The script says so where the claim is none.
      const claim = review.claim_id as ClaimId;
      const reply = await script(
        "giveVerdict",
        [keys.claim(claim), keys.grants(claim), keys.artefactDigests],
        [actor, digest, String(grant.attempt), grant.phase, textOfGrant(grant), ...artefactWords(review)],
      );
      return outcomeOf(reply, "given");
    },

    async setPaused({ paused, by, at, epoch }) {
      const args = [String(epoch), paused ? "1" : "0", by, at];
      const reply = await script("setPaused", [keys.orchestrator, keys.openClaims], args);
      return certainOutcomeOf(reply, "set", "already", "fenced");
    },

    async readPause() {
      const [since, by] = await connection.run((client) => client.hmGet(keys.orchestrator, ["paused_since", "paused_by"]));
      return since && by ? { since, by } : undefined;
    },
  };
}
