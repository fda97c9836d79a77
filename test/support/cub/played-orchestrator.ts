// Plays the orchestrator's part towards a cub, by way of the port: posts, opens, grants, and waits
// for what comes of it. What agents send is answered by the orchestrator's own reader of mailboxes.
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Claim, ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { Phase } from "../../../lib/model/phase.ts";
import { sampleArtefact, sampleClaim } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import { openMailboxes } from "../world/mailboxes.ts";

/** The board stays open after it. */
export class StandIn implements AsyncDisposable {
  readonly board: Blackboard;
  #epoch = 0;
  #mailboxes: Awaited<ReturnType<typeof openMailboxes>> | undefined;

  constructor(board: Blackboard) {
    this.board = board;
  }

  async begin(...agents: AgentRegistration[]): Promise<void> {
    await this.board.registerAgents(agents, "person:Ada", { exact: true });
    this.#mailboxes = await openMailboxes(this.board);
    this.#epoch = this.#mailboxes.epoch;
  }

  async post(over: Partial<Artefact> = {}): Promise<Artefact> {
    const artefact = sampleArtefact(over);
    await this.board.createArtefact(artefact, "person:Ada");
    return artefact;
  }

  /** A claim in bidding on which these agents must bid. */
  async open(
    target: Artefact,
    electorate: readonly AgentName[],
    over: Partial<Claim> = {},
    grants: Grant[] = [],
  ): Promise<ClaimId> {
    const claim = sampleClaim(target, electorate, over);
    const cause = claim.kind === "standard" ? "standard" : `${claim.kind}:${claim.id}`;
    await this.board.openClaim({
      open: { claim, cause, grants },
      epoch: this.#epoch,
      bidDeadlineMs: 60_000,
    });
    return claim.id;
  }

  /** Once more, to those who have not bid. */
  async announce(claim: ClaimId): Promise<void> {
    await this.board.announceClaim({
      claim,
      epoch: this.#epoch,
      nextAfterMs: 60_000,
      isSilent: false,
    });
  }

  /** Closes the bidding and queues a grant. */
  async grant(claim: ClaimId, agent: AgentName, phase: Phase = "exclusive"): Promise<void> {
    await this.commit(claim, { grants: [queuedGrant(agent, phase)] });
  }

  /** A claim with a grant queued for the agent at once. */
  async openGranted(
    target: Artefact,
    agent: AgentName,
    phase: Phase = "exclusive",
    over: Partial<Claim> = {},
  ): Promise<ClaimId> {
    // A claim without an electorate is not announced.
    const claim = await this.open(target, [], { bidding: "closed", ...over });
    await this.grant(claim, agent, phase);
    return claim;
  }

  async terminate(claim: ClaimId, reason: string): Promise<void> {
    const { grants } = await this.read(claim);
    const ended = grants.map((grant): Grant => {
      const { agent, phase, attempt, queued_at } = grant;
      return {
        agent,
        phase,
        attempt,
        queued_at,
        state: "cancelled",
        ended_at: new Date().toISOString(),
        reason,
      };
    });
    await this.commit(claim, { grants: ended, terminate: reason });
  }

  /** Again where the cub has written meanwhile. */
  async commit(claim: ClaimId, change: { grants: Grant[]; terminate?: string }): Promise<void> {
    await waitFor("the commit", async () => await this.#tryCommit(claim, change));
  }

  async #tryCommit(
    claim: ClaimId,
    { grants, terminate }: { grants: Grant[]; terminate?: string },
  ): Promise<boolean> {
    const readOn = this.board.connectionNumber();
    const { rev } = (await this.read(claim)).claim;
    const set =
      terminate === undefined
        ? {}
        : { status: "terminated" as const, termination_reason: terminate };
    const answer = await this.board.commitClaim({
      claim,
      epoch: this.#epoch,
      expectedRev: rev,
      readOn,
      commitId: crypto.randomUUID(),
      set: { bidding: "closed", ...set },
      bids: [],
      grants,
      artefacts: [],
      claims: [],
      due: { set: [], clear: [] },
      events: [],
    });
    if (answer.outcome !== "committed" && answer.outcome !== "stale")
      throw new Error(`The commit was ${answer.outcome}.`);
    return answer.outcome === "committed";
  }

  async read(claim: ClaimId): Promise<ClaimSnapshot> {
    const snapshot = await this.board.readClaim(claim);
    if (snapshot === undefined) throw new Error("There is no such claim.");
    return snapshot;
  }

  async bidOn(claim: ClaimId, agent: AgentName): Promise<string> {
    return waitFor(
      `a bid of ${agent}`,
      async () => (await this.read(claim)).claim.bids.find((bid) => bid.agent === agent)?.word,
    );
  }

  async grantOf(claim: ClaimId, agent: AgentName): Promise<Grant | undefined> {
    return (await this.read(claim)).grants.find((grant) => grant.agent === agent);
  }

  /** Waits until the grant has ended well or badly; gives it with what it produced. */
  async ended(
    claim: ClaimId,
    agent: AgentName,
  ): Promise<{ state: "done" | "failed"; artefact: Artefact; grant: Grant }> {
    const grant = await waitFor(`the end of ${agent}'s grant`, async () => {
      const found = await this.grantOf(claim, agent);
      return found?.state === "done" || found?.state === "failed" ? found : undefined;
    });
    return { state: grant.state, artefact: await this.artefact(grant.artefact_ids[0]), grant };
  }

  async artefact(id: ArtefactId | undefined): Promise<Artefact> {
    const found = id && (await this.board.readArtefact(id));
    if (found === undefined) throw new Error(`There is no artefact ${id}.`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mailboxes?.[Symbol.asyncDispose]();
  }
}

function queuedGrant(agent: AgentName, phase: Phase): Grant {
  return { agent, phase, attempt: 1, queued_at: new Date().toISOString(), state: "queued" };
}
