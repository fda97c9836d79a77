// Every Redis key of an instance, in one place. docs/reference/blackboard.md#keys is made from the
// comments here. The segment `artifact` is the one fixed exception to British spelling.
import type {
  AgentName,
  ArtefactId,
  ClaimId,
  GoalId,
  InstanceName,
  LogicalId,
} from "../../model/ids.ts";
import type { PeriodId } from "../../model/spending.ts";
import type { TriggerName } from "../../model/trigger.ts";

export type Keys = ReturnType<typeof keysOf>;

/** The key names of one instance. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the names of all keys, one by one.
export function keysOf(instance: InstanceName) {
  const prefix = `sett:${instance}:`;
  return {
    prefix,
    /** no type: no program ever sets it; a write of it says whether Redis accepts writes. */
    probe: `${prefix}probe`,
    /** string: the id of the sett whose blackboard this is, in a Redis that others use, too. */
    owner: `${prefix}owner`,
    /** hash: an artefact's fields. */
    artefact: (id: ArtefactId | string) => `${prefix}artifact:${id}`,
    /** hash: cause → the id of the claim that it has opened about this artefact. */
    claimsOfArtefact: (id: ArtefactId) => `${prefix}artifact:${id}:claims`,
    /**
     * zset: the artefacts of a list of pieces, by time: the pieces, and all that work on them has
     * led to.
     */
    list: (id: ArtefactId) => `${prefix}list:${id}`,
    /** hash: a claim's fields. */
    claim: (id: ClaimId) => `${prefix}claim:${id}`,
    /** hash: agent → bid word, the public copy of the bids on record. */
    bids: (claim: ClaimId) => `${prefix}claim:${claim}:bids`,
    /**
     * hash: agent → place and bid word (`3 claim`): while the bidding is open, the bids that came
     * after those in `bid_order`.
     */
    laterBids: (claim: ClaimId) => `${prefix}claim:${claim}:bids:later`,
    /**
     * hash: agent → grant as JSON. This decides; the `granted_*` fields of the claim are copies.
     */
    grants: (claim: ClaimId) => `${prefix}grants:${claim}`,
    /** zset: artefact ids, scored by version. */
    thread: (id: LogicalId) => `${prefix}thread:${id}`,
    /**
     * hash: `ended` (how it was ended, if it was), `retired` (set while `sett prune` moves it),
     * `archived` (JSON: its state, and up to where, once a file of `sett prune` has all of it),
     * `trigger` (what has stated it, if one has) and `issue` (for which one at a forge), `comment`
     * (the comment on that issue, as JSON), `payer` (whose budget of a day and of a month its calls
     * count in, beside the instance's), `remarks` (ids of what people have said to all its work, as
     * JSON), `remark_count` (also to single claims) and `pause_request` (the last request to pause
     * or to resume it, and what came of it).
     */
    goal: (id: GoalId) => `${prefix}goal:${id}`,
    /** zset: artefact ids of one goal, by time. */
    artefactsOfGoal: (id: GoalId) => `${prefix}goal:${id}:artefacts`,
    /**
     * hash: what the goal's calls of models and tools have cost (`spent_nanousd`, `spent_tokens`,
     * `spent_calls`), what is reserved for those under way (`reserved_*`), what people have added
     * to the limits (`added_*`, `added:{agent}:*`), and why (`cause:{id}`).
     */
    goalBudget: (id: GoalId) => `${prefix}goal:${id}:budget`,
    /** hash: id → a call of a language model as JSON; one that has ended has an `outcome`. */
    modelCalls: (id: GoalId) => `${prefix}goal:${id}:calls`,
    /** hash: id → what a call of a tool with a price has cost, as JSON. */
    toolCharges: (id: GoalId) => `${prefix}goal:${id}:tool_charges`,
    /**
     * hash: `{claim}:{agent}:{digest}` → a call of a tool for which a person is asked, as JSON, and
     * `count:{claim}:{agent}:{attempt}`, how many of an attempt have waited.
     */
    askedCalls: (id: GoalId) => `${prefix}goal:${id}:asked_calls`,
    /**
     * hash: what the calls that began in a day (`day:2026-11-26`) or month (`month:2026-11`) have
     * cost, by payer (`instance:spent_nanousd`, `trigger:nightly:reserved_calls`), what people have
     * added (`instance:added_tokens`), why (`cause:{id}`), and that the log has a warning
     * (`instance:warned_nanousd`). It goes by itself, 35 or 400 days after its last call.
     */
    spending: (period: PeriodId) => `${prefix}spending:${period}`,
    /** hash: payer → why none of its work begins, as JSON. Agents may read it. */
    holds: `${prefix}holds`,
    /** zset: `{goal}:{call}` of the calls under way, by when their reservations lapse. */
    openModelCalls: `${prefix}model_calls`,
    /**
     * hash: `{agent}:spent_*` and `{agent}:reserved_*` of an agent's bid and all its attempts on
     * the claim.
     */
    claimBudget: (id: ClaimId) => `${prefix}claim:${id}:budget`,
    /** hash: agent → SHA-256 of the token with which it may ask its model how to bid. */
    bidTokens: (id: ClaimId) => `${prefix}claim:${id}:bid_tokens`,
    /** string: what the gateway that started last enforces, as JSON. */
    gateway: `${prefix}gateway`,
    /** hash: `answer`, the id of the answer that counts. */
    question: (id: ArtefactId) => `${prefix}question:${id}`,
    /** zset: ids of the questions that wait for a person, by time. */
    openQuestions: `${prefix}questions:open`,
    /**
     * string: the reply of the API to a request with an idempotency key, as JSON, kept for a day;
     * at `traces` why traces do not reach their collector, kept for a minute.
     */
    reply: (key: string) => `${prefix}api:reply:${key}`,
    /** hash: hook → the last notice of this subject as JSON, for webhooks. */
    delivery: (subject: string) => `${prefix}delivery:${subject}`,
    /**
     * hash: SHA-256 → the files that the changes of the goal's artefacts touch, as JSON, where
     * decisions were based on them.
     */
    factsOfGoal: (id: GoalId) => `${prefix}goal:${id}:facts`,
    /**
     * hash: SHA-256 → what decisions of all goals were based on beside the log, as JSON: the
     * registrations, the policy.
     */
    facts: `${prefix}facts`,
    /**
     * hash: what the notary has sealed: `holder` (the notary that started last, which alone may
     * seal), `size` of the tree, its `checkpoint`, signed (docs/reference/proof.md), the `place` of
     * the last event in it, and up to where and when others have seen it, `anchored`, as JSON.
     */
    proof: `${prefix}proof`,
    /** hash: lane → the commit at its tip. */
    lanes: `${prefix}lanes`,
    /** zset: goal ids, by time. */
    goals: `${prefix}goals`,
    /** zset: all artefact ids, by time. */
    artefacts: `${prefix}artefacts`,
    /**
     * hash: artefact id → why the result of this id was refused. The orchestrator removes those of
     * artefacts that are not stored.
     */
    refusedArtefacts: `${prefix}artefacts:refused`,
    /** zset: ids of the artefacts whose metadata may have a commit, by time. */
    artefactsWithCommit: `${prefix}artefacts:with_commit`,
    /** hash: artefact id → SHA-1 of its content, by which a later overwrite is noticed. */
    artefactDigests: `${prefix}artefacts:digests`,
    /** zset: ids of the claims that have not ended, by time. */
    openClaims: `${prefix}claims:open`,
    /**
     * zset: deadlines (`bids`), next announcements (`announce`), leases (`lease`) or later attempts
     * (`attempt`), scored by when they are due (Unix ms).
     */
    dueOfKind: (kind: string) => `${prefix}due:${kind}`,
    /** name: what the keys of these kinds begin with. Nothing is stored under it. */
    due: `${prefix}due`,
    /**
     * stream: the log. Each entry has the fields `type` and `event` (JSON). Entries go with goals
     * that are moved into files, and by `retention`.
     */
    events: `${prefix}events`,
    /** string: how many entries of the log functions have removed. */
    removedEvents: `${prefix}events:removed`,
    /** hash: SHA-256 → a file into which goals were moved, as JSON. */
    archives: `${prefix}archives`,
    /**
     * hash: event id → an event that the orchestrator could not handle and tries again, with
     * `since` and `reason`, as JSON.
     */
    owedEvents: `${prefix}events:owed`,
    /**
     * stream: claims whose bidding is open, for the cubs (`claim`, `about`). Trimmed to about 10
     * 000. The channel of the same name has the id of each new entry.
     */
    announcements: `${prefix}claims`,
    /** hash: agent → registration as JSON. */
    agents: `${prefix}agents`,
    /** hash: the same, of agents that `sett up` starts and that are not asked for bids yet. */
    expectedAgents: `${prefix}agents:expected`,
    /**
     * hash: agent → its role, of all that were ever registered: what one sends that was removed is
     * read as well.
     */
    senders: `${prefix}agents:senders`,
    /**
     * string: the agent's own registration, the same text as in `agents` or `agents:expected`: of
     * all these its user may read only this.
     */
    agentRegistration: (agent: AgentName) => `${prefix}agent:${agent}:registration`,
    /** string: the agent's last heartbeat as JSON: when, state, the claim that it works on. */
    agentStatus: (agent: AgentName) => `${prefix}agent:${agent}:status`,
    /**
     * hash: `{claim}:{agent}` → attempt, time (Unix ms), files that are written, and how many there
     * are (`1 1772355600000 20541 100000`), of a running grant whose workspace takes long to
     * prepare. A hint.
     */
    preparing: `${prefix}preparing`,
    /** list: wake-ups for a cub (claim ids). A hint. */
    agentGrants: (agent: AgentName) => `${prefix}agent:${agent}:grants`,
    /** zset: claims in which the agent has a queued grant, by time. */
    agentQueued: (agent: AgentName) => `${prefix}agent:${agent}:queued`,
    /**
     * zset: open claims in which the agent is asked to bid and has not, in the order in which they
     * were opened.
     */
    agentAsked: (agent: AgentName) => `${prefix}agent:${agent}:asked`,
    /**
     * zset: open claims in which the agent has a grant that is neither done nor cancelled, in the
     * same order.
     */
    agentWork: (agent: AgentName) => `${prefix}agent:${agent}:work`,
    /**
     * hash: claim → attempt, `queued_at`, message and run of the grant that the agent has taken,
     * until its start is on record.
     */
    agentTaken: (agent: AgentName) => `${prefix}agent:${agent}:taken`,
    /**
     * stream: what the agent says (`id`, `text`). The agent alone writes it; the orchestrator
     * removes what it has dealt with.
     */
    mailOut: (agent: AgentName) => `${prefix}agent:${agent}:out`,
    /**
     * stream: answers to it (`re`, `text`), the newest 1 000. The channel of the same name has the
     * id of each new entry.
     */
    mailIn: (agent: AgentName) => `${prefix}agent:${agent}:in`,
    /** stream: the logs of its removed workers, the newest 200. */
    workerLogs: (agent: AgentName) => `${prefix}agent:${agent}:logs`,
    /**
     * hash: the leader lease (`holder`, `epoch`, `nonce`, `expires_at`, `seen_at`), the places in
     * the log (`cursor`, `notice_cursor`), the webhooks that could not be notified
     * (`notice_problems`, JSON), and the pause (`paused_since`, `paused_by`).
     */
    orchestrator: `${prefix}orchestrator`,
    /** string: since when the instance is paused, while it is; agents may read it. */
    paused: `${prefix}paused`,
    /**
     * hash: goal → since when and by whom it is paused, and the place of the last message that was
     * in the mail of each agent then, as JSON; agents may read it.
     */
    pausedGoals: `${prefix}goals:paused`,
    /**
     * hash: agent → the place of the last message that was in its mail when the pause began, while
     * the instance is paused.
     */
    pausedMail: `${prefix}paused:mail`,
    /**
     * hash: what was done about a trigger of sett.yml: `schedule`, `run` (the last one that is
     * dealt with), `goal` (its goal), `begun` and `begun_missed` (the last one that was begun),
     * `skipped_for` and `skipped_at` (the goal for which a run was skipped, and the last time that
     * the log said so); `since`, `tag:{name}` with the commit of each tag that is known, or that it
     * is gone, and `forgotten` (the most changes of a tag that is forgotten);
     * `arrivals`, the last deliveries of a forge whose times are whole seconds.
     */
    trigger: (name: TriggerName) => `${prefix}trigger:${name}`,
    /**
     * hash: the name of each trigger of which something is on record → `1`. `sett up` removes those
     * that sett.yml has no more.
     */
    triggers: `${prefix}triggers`,
    /** channel: the id of each new artefact. A hint. */
    artefactChannel: `${prefix}artefact_events`,
    /** channel: the id of each claim that was opened, has changed or has ended. A hint. */
    claimChannel: `${prefix}claim_events`,
  };
}
