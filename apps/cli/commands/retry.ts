// sett retry: another try of the claim that a Failure has ended.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { resolveFailure } from "../facts/resolve-id.ts";
import { request } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { heldUntil } from "../people/held-until.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { oneLine } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";

export const retry = defineCommand({
  name: "retry",
  description: "try again what has ended with a Failure",
  details: [
    "Prints the id of the new claim. What was done in the old one stays done; who failed, and whose work was cancelled by that, begins again,",
    "and later phases follow. Once for each Failure.",
    "Exit code 1 when it is refused, and while no orchestrator acts: the request is recorded, and acted on when one is back.",
  ].join("\n"),
  args: {
    failure: { type: "positional", required: true, description: "the Failure's id; 6 or more characters are enough" },
    as: asArgument,
    json: jsonArgument,
    name: nameArgument,
  },
  examples: ["sett retry 5c0ffee1", "sett hoard --type ToolExecutionFailure  # the Failures there are"],
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const { board } = session;
    const ended = await resolveFailure(board, args.failure, shell.suggest);
    const { id: failure, goal_id: goal } = ended;
    const { claim } = await request(shell, session, {
      draft: { type: "retry_requested", artefact_id: failure, goal_id: goal },
      actor,
      hear: ({ type, data, claim_id }) =>
        type === "claim_opened" && data?.cause === `retry:${failure}` && claim_id !== undefined ? { claim: claim_id } : undefined,
    });
    await shell.out.write(args.json ? `${JSON.stringify({ id: claim, failure, goal_id: goal })}\n` : `${claim}\n`);
    const [from, held] = await Promise.all([whereFrom(board, ended), heldUntil(board, shell.suggest)]);
    const when = held === undefined ? "" : `; it goes on ${held.until}`;
    shell.messages.done(`${oneLine(ended.type)} ${shortId(failure)} is tried again as claim ${shortId(claim)}${from}${when}.`);
    if (held !== undefined) shell.messages.next(held.next);
    shell.messages.next(`See what becomes of it: ${shell.suggest(`watch --goal ${shortId(goal)}`)}`);
    return;
  },
});

/** `, from the review phase on, by coder and linter`: those who had not ended their work in the claim that failed. */
async function whereFrom(board: Blackboard, { id, claim_id }: Artefact): Promise<string> {
  const grants = (claim_id === "" ? undefined : await board.readClaim(claim_id))?.grants ?? [];
  const lost = grants.find((grant) => grant.state === "failed" && grant.artefact_ids.includes(id));
  if (lost === undefined) return "";
  const agents = grants.flatMap(({ agent, state }) => (state === "done" ? [] : [agent]));
  return `, from the ${lost.phase} phase on, by ${agents.join(" and ")}`;
}
