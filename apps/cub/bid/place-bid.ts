// Brings one bid from the decision to the record.
import type { BidTarget } from "../../../lib/core/decide-bid.ts";
import type { Claim } from "../../../lib/model/claim.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../program/deps.ts";
import { chooseBid } from "./choose-bid.ts";

/** Decides and places the bid; a refusal is logged. Never rejects. */
export async function placeBid(
  deps: Deps,
  { claim, target }: { claim: Pick<Claim, "id" | "artefact_id">; target: BidTarget | undefined },
  stop: AbortSignal,
): Promise<void> {
  const { board, metrics, watch } = deps;
  const log = deps.log.with({ claim_id: claim.id, artefact_id: claim.artefact_id });
  try {
    const markProgress = () => watch.watcher.markProgress();
    const noteTrouble = (sentence: string | undefined) => watch.watcher.noteTrouble(sentence);
    const choosing = { ...deps, log, markProgress, noteTrouble };
    const choice = await chooseBid(
      choosing,
      { claim: claim.id, artefact: claim.artefact_id, target },
      stop,
    );
    // `stop` came before a decision: the cub bids after its next start.
    if (choice === undefined) return;
    const agent = deps.registration.current.name;
    const { word, reason } = choice;
    const answer = await untilContact(
      () => board.placeBid({ claim: claim.id, agent, word, reason }),
      {
        signal: stop,
        log,
        onRetry: markProgress,
      },
    );
    switch (answer.outcome) {
      case "placed":
        metrics.bids.inc({ word: answer.word });
        return log.info("Placed bid", { bid: answer.word, decided_by: choice.by, because: reason });
      case "refused":
        return log.warn("Bid refused", { bid: word, reason: answer.reason });
      default:
        unreachable(answer);
    }
  } catch (error) {
    log.error("Failed to place bid", { error: messageOf(error) });
  }
}
