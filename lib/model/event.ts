// The events of an instance's log, which is append-only.
import { z } from "zod";
import { AgentName, ArtefactId, ClaimId, GoalId } from "./ids.ts";

/** docs/reference/blackboard.md#event-types is made from the comments here. */
export const EventType = z.enum([
  /**
   * `sett up` has started the instance's Redis. Data: `version`, and `known_before` where the
   * blackboard is empty and the repository knows the instance: how many goals and results git has
   * of the blackboard before.
   */
  "instance_started",
  /** `sett down` stops the instance. */
  "instance_stopped",
  /**
   * An agent is new, or its registration has changed. Data: `role`, `replicas`, `strategy`,
   * `image`.
   */
  "agent_registered",
  /**
   * `sett up` replaces an agent's container. Data: `changed`, which parts of its specification
   * differ.
   */
  "agent_replaced",
  /** An agent is no longer registered. */
  "agent_removed",
  /** An orchestrator has acquired the leader lease. Data: `holder`, `epoch`, `version` of Sett. */
  "orchestrator_started",
  /**
   * An artefact is on the blackboard. Data: `structural_type`, `type`, `version`, `role`,
   * `goal_artefacts`, `agent`; `pieces` (how many) of a list of pieces, and `list` (its id) of a
   * piece and of what work on one has led to; and `sha256`, the digest of its record
   * ([Proof](proof.md)).
   */
  "artefact_created",
  /**
   * No work on the pieces of a list goes on: the list's claim is opened. Data: `artefacts`, how
   * many the pieces are with all that work on them has led to.
   */
  "pieces_ended",
  /** An artefact written by hand is refused, or a stored one was written over. Data: `reason`. */
  "artefact_refused",
  /**
   * The orchestrator has opened a claim. Data: `kind`, `cause`, `missing` (how many agents are
   * asked to bid), and `registry` and `policy`, the digests of what it was opened on; and `paths`,
   * of the files that the artefact's change touches, where a bid depends on them. All later events
   * that change a claim have `rev`, which its record has then. The first of a decision has
   * `trigger` where something has caused it, and the two digests where they are not those of the
   * decision before.
   */
  "claim_opened",
  /** A claim was announced again, for the first time. Data: `missing`. */
  "claim_announced",
  /**
   * The bids that agents have given in advance, by their rules, by the default, or as people. Data:
   * `bids`, in the order of sett.yml (`coder:exclusive tester:ignore`), and `missing`.
   */
  "bids_placed",
  /** An agent has bid. Data: `word`, `missing`, and `reason` where its model has given one. */
  "bid_placed",
  /** The orchestrator has bid for an agent whose bid was missing. Data: `word`. */
  "bid_imposed",
  /**
   * All bids are in. Data: `after`, where reviewers wait for the approval of others
   * (`owner:compile,lint`).
   */
  "bidding_closed",
  /**
   * An agent is granted work. Data: `phase`, `attempt`, and `instead_of`, `because` for a stand-in,
   * or where the grant was moved. If several agents have bid `exclusive`: `idle`, `busy` and
   * `silent`, their names in the order of their bids (`busy` with what each has to end before, as
   * `coder:2`). The first idle one is granted, without one the first of the least busy ones, else
   * the first silent one.
   */
  "grant_queued",
  /**
   * A cub has begun its work. Data: `phase`, `attempt`; `inputs`, the ids of what its command gets
   * beside the artefact (the first 32; of more, `inputs_left_out` and `inputs_sha256`, the digest
   * of all), and `base_commit`; and `taken_before_pause` where the instance or
   * the goal is paused meanwhile.
   */
  "grant_started",
  /**
   * The grant's result is stored. Data: `phase`, `attempt`, and `rejects` where it is a Review that
   * does not approve. Here and in the next one: `stdin`, the digest of what the command was given;
   * `stdout` and `stderr`, of what it printed beside its answer, where that is kept; and `remarks`,
   * the ids of what people said while it ran, as it was passed on to it.
   */
  "grant_done",
  /** The attempt has failed; the event names its Failure. Data: `phase`, `attempt`, `reason`. */
  "grant_failed",
  /** A failed attempt is followed by another. Data: `phase`, `attempt`, `after_ms`. */
  "grant_retrying",
  /**
   * The grant waits for an answer, or for a person's judgement. Data: `phase`, `attempt`; where not
   * one approval of any person is enough, `approvals` (how many different people have to approve)
   * and `not_by` (the addresses or names of people whose approval does not count); and `approved`,
   * how many have, where a person has approved and the grant goes on waiting.
   */
  "grant_waiting",
  /**
   * The grant ended with its claim, or a person's verdict is not needed any more, or another agent
   * has it before it began (`moved_to`). Data: `phase`, `attempt`, `reason`, `moved_to`.
   */
  "grant_cancelled",
  /**
   * A result came too late, belongs to no current grant, or was made from an artefact that Redis
   * has lost: then the work is done again. Data: `reason`, `attempt`, and `source` (the lost
   * artefact).
   */
  "result_refused",
  /**
   * A message of an agent is refused. Data: `reason`, and `count`, how many since the last such
   * event.
   */
  "mail_refused",
  /**
   * A person has looked at a grant beside the record: in a shell, or by running its command again.
   * The goal stays as it is. Data: `attempt`, `how` (`shell`, `rerun`), of a rerun `same`, and
   * `image` where it was another one than that of the grant.
   */
  "grant_examined",
  /** The claim has ended well. */
  "claim_completed",
  /** The claim has ended otherwise. Data: `reason`, `kind`. */
  "claim_terminated",
  /** The goal was ended. Data: `ending` (`cancelled`, `artefact_limit`), `by`. */
  "goal_ended",
  /** A question waits for a person. */
  "question_asked",
  /** A question ended without an answer. Data: `reason`. */
  "question_closed",
  /** A person asks to cancel a goal, or a forge for what was done there. Data: its `reason`. */
  "cancel_requested",
  /** As `cancel_requested`: to pause the instance, or the goal that the event names. */
  "pause_requested",
  /** As `cancel_requested`: to resume the instance, or the goal that the event names. */
  "resume_requested",
  /** A person asks to try a failed claim again; the event names the Failure. */
  "retry_requested",
  /** The orchestrator refuses a request. Data: `request` (the event's id), `reason`. */
  "request_refused",
  /** The instance is paused: nothing new is granted or accepted. Data: `by`. */
  "instance_paused",
  /** The instance goes on: work is granted and accepted again. Data: `by`. */
  "instance_resumed",
  /** The goal is paused: none of its new work begins. Data: `by`. */
  "goal_paused",
  /** The goal goes on. Data: `by`. */
  "goal_resumed",
  /**
   * A call of a language model has ended. Data: `call` (its id), `kind` (`grant`, `bid`),
   * `attempt`, `model`, `provider`, `asked` and `answered` (the model that the client asked for,
   * and the one that answered), `outcome`, `status`, `input`, `output`, `cached`, `reasoning`
   * (tokens), `usd`, `duration_ms`, `tries`, and where it is so `instead_of` (the agent's model,
   * whose `fallback` was asked), `estimated`, `unpriced`, `problem`, `request`, `answer` (digests).
   */
  "model_called",
  /**
   * An agent has called a tool of an MCP server. Data: `call` (its id), `attempt`, `server`,
   * `tool`, `outcome` (`ok`, `error` where the tool says so, `asked` where a person has to allow it
   * first, `refused` by Sett, `failed`), `allowed_by` (a person's answer), `problem`,
   * `duration_ms`, `bytes` (of the answer), `request` and `answer` (digests of what was
   * sent and came), `usd` (where the server has a price), `description` (the digest of
   * what the server says of the tool).
   */
  "tool_called",
  /**
   * An MCP server says something else of a tool than before. Data: `server`, `tool`, `digest`,
   * `before`, and `is_refused` where sett.yml allows the one before alone.
   */
  "tool_changed",
  /**
   * A person has raised the limits of a goal, or those of an agent in it; or, without a goal, those
   * of a day or a month (`period`, `whose`). Data: `usd`, `tokens`, `calls`, `cause`.
   */
  "budget_raised",
  /**
   * Four fifths of a limit of a day or a month are spent; once for each. The goal is the one of the
   * call that found it. Data: `whose` (`instance`, `person:ada@example.org`, `trigger:nightly`),
   * `period` (`day:2026-11-26`, `month:2026-11`), `kind` (`nanousd`, `tokens`, `calls`), `limit`,
   * `spent`.
   */
  "budget_nearly_reached",
  /**
   * A call was refused because of what is spent in a day or a month: no new work begins for goals
   * of this payer. Data: as above.
   */
  "budget_reached",
  /** The day or month is over, or the limits may be others: that work begins again. */
  "budget_freed",
  /**
   * What `workspace.prepare` makes was made, for this grant first. Data: `attempt`, `key` (of the
   * files, the image and the command), `digest`, `files`, `bytes` (of what it left beside the
   * commit), `duration_ms`.
   */
  "workspace_prepared",
  /**
   * A trigger of sett.yml has stated a goal. Data: `kind` (`cron`, `webhook`, `tag`), `cause` (a
   * time, an event of a forge, a tag), `missed` (how many runs that were missed it makes up for),
   * `wanted_commit` where the repository does not have this commit: the work begins at HEAD, and
   * `issue`: the address of the one that the event is about.
   */
  "trigger_fired",
  /** A trigger has stated no goal, for a reason. Data: `kind`, `cause`, `reason`. */
  "trigger_skipped",
  /**
   * A built-in agent acts at a forge. Data: `forge`, `step` (`push`, `open`, `update`, `status`,
   * `review`, `merge`, `comment`), `state` (`begins`, `done`; `stops`: a person has to decide, or
   * the comment is not kept any more), and `what`: the branch, the number of the pull request, the
   * status, the issue, or why.
   */
  "forge_step",
  /**
   * `sett prune` has moved goals into a file. Data: `file`, `sha256`, `goals`, `artefacts`,
   * `events`, `bytes`, `before`.
   */
  "goals_pruned",
  /**
   * `sett erase` has taken the content of an artefact away. Data: `reason`, `sha256` (the digest of
   * the record that it had), `commit`, the one that it had delivered, and the `statement` of the
   * person and its `signature`, where it is signed ([Proof](proof.md)).
   */
  "artefact_erased",
  /**
   * The orchestrator could not handle an event in eight tries, and tries it again from time to
   * time. Data: `event`, `type`, `tries`, `reason`.
   */
  "event_given_up",
  /**
   * A user of Redis had so many connections that others might have got none, or kept Redis busy
   * with slow commands, and the orchestrator has ended all of its connections. Data: `user`, and
   * `connections`, `limit`, or `calls`, `ms` (how long Redis worked on them within seconds).
   */
  "connections_ended",
  /**
   * Redis was nearly full, and an agent's mail took much of it: the orchestrator has removed it
   * without reading it. Data: `messages`, `bytes`.
   */
  "mail_dropped",
  /**
   * A person, or a program in that person's name, has written through the API. Data: `method`,
   * `path`, `tool` (of an assistant), `status`, `token` (its name).
   */
  "api_called",
  /**
   * Never written: a program reads it in the place of an entry that it cannot read. Data: `type`,
   * `reason`.
   */
  "unreadable",
]);
export type EventType = z.infer<typeof EventType>;

/**
 * The one who did it: `agent:coder@3f2a9c1b7d20` (where it runs: a container's host name is its
 * id), `orchestrator:3` (its epoch), `gateway`, `person:Ada Lovelace <ada@example.org>`,
 * `trigger:nightly` (a trigger of sett.yml), `forge:hub` (what a forge says), `hand` (plain Redis
 * commands).
 */
export const Actor = z
  .string()
  .regex(/^(?:agent:.+|orchestrator:\d+|person:.+|trigger:.+|forge:.+|gateway|hand)$/);
export type Actor = z.infer<typeof Actor>;

const references = {
  goal_id: GoalId.optional(),
  claim_id: ClaimId.optional(),
  artefact_id: ArtefactId.optional(),
  agent: AgentName.optional(),
};

/** An event before it is written. `data` is small and flat; its names depend on the type. */
export const EventDraft = z.strictObject({
  type: EventType,
  ...references,
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type EventDraft = z.infer<typeof EventDraft>;

/** Redis takes this as the id of an event: its number has 64 bits. */
export const eventIdPattern = /^(\d{1,15})(?:-(\d{1,19}|1[0-7]\d{18}|18446744073709551615))?$/;

/** A place in the log: after an event, or `0`. */
export const EventPosition = z
  .string()
  .regex(eventIdPattern, { error: "must be `0` or an event's id, such as 1795230000000-0" });

/**
 * An event of the log. `id` is the stream's id; `time` (ISO 8601) is Redis' clock, taken from it.
 */
export const SettEvent = EventDraft.extend({
  id: z.string(),
  time: z.iso.datetime(),
  actor: Actor,
});
export type SettEvent = z.infer<typeof SettEvent>;
