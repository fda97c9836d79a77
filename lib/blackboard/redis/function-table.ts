// The Lua functions: the names of each one's keys and arguments, in the order in which it gets
// them, and of what its outcomes carry. The file of a function begins with the same names;
// test/unit/lib/blackboard/redis/function-table.test.ts compares the two.
import { artefactFieldNames } from "../records/artefact-field-names.ts";
import { judgedFields } from "../records/hand-written.ts";

/**
 * The kinds of arguments: `text`, `bytes` (text that may be no UTF-8), `number`, `flag`, `fields`
 * (a hash, in order), or the name of a record; with `*` a list, with `?` one that may be missing.
 */
export type Kind = string;

/** A decision about one claim, by itself or together with the result that it follows from. */
const commit = {
  epoch: "number",
  claim: "text",
  expected_rev: "number",
  commit_id: "text",
  status: "text",
  bidding: "text",
  fields: "fields",
  bids: "bid*",
  grants: "grant*",
  artefacts: "artefact*",
  new_claims: "new_claim*",
  clear_due: "text*",
  set_due: "due_item*",
  events: "event*",
} as const;

/** Records have the same names in every function. */
export const records = {
  artefact: { ...allOf(artefactFieldNames, "text"), digest: "text", salt: "text", sha256: "text" },
  head: allOf(judgedFields, "text"),
  head_bytes: allOf(judgedFields, "bytes"),
  bid: { agent: "text", word: "text" },
  grant: { agent: "text", state: "text", attempt: "number", json: "text" },
  event: { type: "text", text: "text" },
  new_claim: {
    id: "text",
    artefact_id: "text",
    goal_id: "text",
    cause: "text",
    status: "text",
    bidding: "text",
    asked: "text*",
    fields: "fields",
    bids: "text",
    grants: "grant*",
    events: "event*",
  },
  applied_mail: { place: "text", id: "text", is_quiet: "flag" },
  due_item: { member: "text", after_ms: "number" },
  started: { run: "text", grant: "text", lease_ms: "number", event_data: "text" },
  lane_move: { name: "text", onto: "text", commit: "text" },
  commit,
  registration: { name: "text", role: "text", json: "text", event_data: "text" },
  amounts: { nanousd: "number", tokens: "number", calls: "number" },
  limits: { nanousd: "number?", tokens: "number?", calls: "number?" },
  model_token: { kind: "text", claim: "text", agent: "text", attempt: "number", digest: "text" },
  model_call: {
    id: "text",
    goal: "text",
    claim: "text",
    agent: "text",
    kind: "text",
    attempt: "number",
    reserved: "amounts",
    started_at: "text",
    json: "text",
  },
  judged_artefact: {
    last_of_thread: "text",
    artefact: "head",
    payload_sha1: "text",
    salt: "text",
    sha256: "text",
  },
} as const;

const refused = ["reason"] as const;
const fenced = [] as const;
const tokenRefused = ["reason", "is_ended"] as const;

/** Each also has the key `events`. A function without outcomes answers with a list of words. */
export const functionTable = {
  createArtefact: {
    keys: [],
    args: { artefact: "artefact", actor: "text" },
    outcomes: { created: [], exists: [], refused },
  },
  readContext: {
    keys: [],
    args: {
      target: "text",
      max_steps: "number",
      max_bytes: "number",
      begin_with: "text*",
      additional: "text*",
    },
  },
  readHeads: {
    keys: [],
    args: { ids: "text*" },
  },
  readOutline: {
    keys: [],
    args: { goal: "text", from: "number" },
  },
  readPieces: {
    keys: [],
    args: { list: "text" },
  },
  adoptArtefact: {
    keys: ["orchestrator", "artefact", "digests"],
    args: {
      epoch: "number",
      id: "text",
      as_read: "head_bytes",
      payload_bytes: "number",
      problem: "text",
      judged: "judged_artefact?",
    },
    outcomes: { adopted: [], known: [], absent: [], changed: [], fenced, refused },
  },
  endGoal: {
    keys: ["orchestrator", "goal", "open_questions"],
    args: { epoch: "number", goal: "text", ending: "text", by: "text", failure: "artefact?" },
    outcomes: { ended: [], already: [], none: [], fenced },
  },
  openClaim: {
    keys: ["orchestrator", "due"],
    args: {
      epoch: "number",
      bid_deadline_ms: "number",
      announce_after_ms: "number",
      new_claim: "new_claim",
    },
    outcomes: { opened: [], exists: ["claim"], waits: ["artefact"], fenced, refused },
  },
  placeBid: {
    keys: ["claim", "bids"],
    args: { claim: "text", agent: "text", word: "text", actor: "text", reason: "text" },
    outcomes: { placed: ["word"], refused },
  },
  commitClaim: {
    keys: ["orchestrator", "claim", "bids", "grants", "open_claims", "due"],
    args: commit,
    outcomes: { committed: ["rev"], stale: [], fenced, gone: [], refused },
  },
  announceClaim: {
    keys: ["orchestrator", "claim", "due"],
    args: { epoch: "number", claim: "text", next_after_ms: "number", is_silent: "flag" },
    outcomes: { announced: [], ended: [], fenced },
  },
  takeGrant: {
    keys: ["taken", "mail"],
    args: {
      claim: "text",
      agent: "text",
      attempt: "number",
      queued_at: "text",
      run: "text",
      id: "text",
      text: "text",
    },
    outcomes: { taken: [], refused },
  },
  beginWork: {
    keys: ["taken", "mail"],
    args: {
      claim: "text",
      agent: "text",
      run: "text",
      id: "text",
      may_take: "flag",
      said_before: "text",
      said_after: "text",
      max_steps: "number",
      max_bytes: "number",
    },
  },
  acceptGrant: {
    keys: ["claim", "grants", "due", "orchestrator", "taken"],
    args: {
      claim: "text",
      agent: "text",
      attempt: "number",
      queued_at: "text",
      run: "text",
      grant: "text",
      lease_ms: "number",
      actor: "text",
      event_data: "text",
      mail: "applied_mail?",
    },
    outcomes: { accepted: [], refused },
  },
  renewLease: {
    keys: ["claim", "due"],
    args: { claim: "text", agent: "text", attempt: "number", lease_ms: "number" },
    outcomes: { renewed: [], refused },
  },
  notePreparing: {
    keys: ["claim", "preparing"],
    args: {
      claim: "text",
      agent: "text",
      attempt: "number",
      files: "number",
      of: "number",
      is_over: "flag",
    },
    outcomes: { noted: [], refused },
  },
  finishGrant: {
    keys: [
      "claim",
      "grants",
      "due",
      "refused_artefacts",
      "orchestrator",
      "taken",
      "bids",
      "open_claims",
      "lanes",
    ],
    args: {
      claim: "text",
      agent: "text",
      attempt: "number",
      queued_at: "text",
      grant: "text",
      artefact: "artefact",
      actor: "text",
      event_type: "text",
      event_data: "text",
      mail: "applied_mail?",
      start: "started?",
      commit: "commit?",
      is_unlogged: "flag",
      output: "text?",
      pieces: "artefact*",
      lane: "lane_move?",
    },
    outcomes: {
      finished: ["commit", "rev"],
      not_started: ["reason"],
      id_taken: ["reason"],
      refused,
    },
  },
  askPeople: {
    keys: ["orchestrator", "question_artefact", "question", "open_questions"],
    args: { epoch: "number", question: "text" },
    outcomes: { asked: [], already: [], closed: [], fenced },
  },
  answerQuestion: {
    keys: ["question_artefact", "question"],
    args: { question: "text", actor: "text", answer: "artefact" },
    outcomes: { answered: [], taken: ["answer"], refused },
  },
  tell: {
    keys: ["goal"],
    args: { words: "artefact", claim: "text", actor: "text", max: "number" },
    outcomes: { stored: ["claims"], refused },
  },
  recordVerdict: {
    keys: ["claim", "grants", "digests"],
    args: {
      review: "artefact",
      attempt: "number",
      grant: "text",
      is_last: "flag",
      approved: "number",
      judged_digest: "text",
      actor: "text",
      event_data: "text",
    },
    outcomes: { recorded: [], stale: [], refused },
  },
  setPaused: {
    keys: ["orchestrator", "agents", "paused", "paused_mail"],
    args: { epoch: "number", is_paused: "flag", by: "text", since: "text", request: "text?" },
    outcomes: { set: [], already: [], superseded: [], fenced },
  },
  pauseGoal: {
    keys: ["orchestrator", "agents", "goal", "paused_goals"],
    args: {
      epoch: "number",
      goal: "text",
      is_paused: "flag",
      by: "text",
      since: "text",
      request: "text?",
    },
    outcomes: { set: [], already: [], superseded: [], over: [], fenced },
  },
  registerAgents: {
    keys: ["agents", "expected_agents", "senders"],
    args: { actor: "text", mode: "text", registrations: "registration*" },
    outcomes: { registered: [] },
  },
  acquireLeaderLease: {
    keys: ["orchestrator", "due"],
    args: { holder: "text", lease_ms: "number", restarted: "flag", version: "text?" },
    outcomes: { held: ["epoch", "cursor"], taken: ["holder", "expires_in_ms"] },
  },
  releaseLeaderLease: {
    keys: ["orchestrator"],
    args: { epoch: "number" },
    outcomes: { released: [], fenced },
  },
  moveCursor: {
    keys: ["orchestrator"],
    args: { epoch: "number", field: "text", cursor: "text" },
    outcomes: { moved: [], fenced },
  },
  recordDelivery: {
    keys: ["orchestrator", "delivery"],
    args: { epoch: "number", hook: "text", delivery: "text" },
    outcomes: { recorded: [], fenced },
  },
  noteCheckpoint: {
    keys: ["proof"],
    args: {
      holder: "text",
      before: "number",
      size: "number",
      checkpoint: "text",
      place: "text",
    },
    outcomes: { noted: [], moved: [], fenced },
  },
  noteFact: {
    keys: ["orchestrator", "facts"],
    args: { epoch: "number", digest: "text", text: "text" },
    outcomes: { noted: [], fenced },
  },
  listDue: {
    keys: ["due"],
    args: { limit: "number", kinds: "text*" },
  },
  clearDue: {
    keys: ["orchestrator", "due"],
    args: { epoch: "number", members: "text*" },
    outcomes: { cleared: [], fenced },
  },
  deferDue: {
    keys: ["orchestrator", "due"],
    args: { epoch: "number", after_ms: "number", members: "text*" },
    outcomes: { deferred: [], fenced },
  },
  logAsLeader: {
    keys: ["orchestrator"],
    args: { epoch: "number", event: "event" },
    outcomes: { logged: ["id"], fenced },
  },
  readMail: {
    keys: ["mail"],
    args: {
      after: "text",
      max_messages: "number",
      max_bytes: "number",
      max_message_bytes: "number",
    },
  },
  answerMail: {
    keys: [],
    args: { agent: "text", place: "text", id: "text", text: "text?" },
    outcomes: { answered: [] },
  },
  dropMail: {
    keys: ["mail", "taken", "status", "probe"],
    args: { max_bytes: "number" },
    outcomes: { kept: [], dropped: ["messages", "bytes"] },
  },
  oweEvent: {
    keys: ["orchestrator", "owed_events"],
    args: { epoch: "number", id: "text", owed: "text", event: "event" },
    outcomes: { owed: [], fenced },
  },
  settleOwed: {
    keys: ["orchestrator", "owed_events"],
    args: { epoch: "number", ids: "text*" },
    outcomes: { settled: [], fenced },
  },
  reopenMail: {
    keys: ["orchestrator", "mail", "paused_mail", "paused_goals"],
    args: { epoch: "number", agent: "text" },
    outcomes: { reopened: [], kept: [], fenced },
  },
  postAsLeader: {
    keys: ["orchestrator"],
    args: { epoch: "number", artefact: "artefact" },
    outcomes: { created: [], exists: [], fenced, refused: ["reason"] },
  },
  logEvent: {
    keys: [],
    args: { event: "event" },
    outcomes: { logged: ["id"] },
  },
  recordTrigger: {
    keys: ["record", "triggers"],
    args: { trigger: "text", mark: "text", value: "text", fields: "fields", event: "event?" },
    outcomes: { recorded: [], already: [] },
  },
  forgetTriggers: {
    keys: ["triggers"],
    args: { kept: "text*" },
    outcomes: { forgotten: ["count"] },
  },
  allowBidCalls: {
    keys: ["bid_tokens"],
    args: { claim: "text", agent: "text", digest: "text" },
    outcomes: { allowed: [], refused: ["reason"] },
  },
  findCaller: {
    keys: [],
    args: { token: "model_token" },
    outcomes: { found: ["goal", "artefact"], refused: tokenRefused },
  },
  reserveCall: {
    keys: ["open_calls"],
    args: {
      token: "model_token",
      id: "text",
      started_at: "text",
      json: "text",
      needed: "amounts",
      goal_limits: "limits",
      grant_limits: "limits",
      spending_limits: "text?",
      lease_ms: "number",
    },
    outcomes: {
      reserved: ["call"],
      exhausted: ["scope", "whose", "kind", "allowed", "limit", "spent", "reserved", "needed"],
      refused: tokenRefused,
    },
  },
  chargeTool: {
    keys: ["tool_charges"],
    args: {
      token: "model_token",
      id: "text",
      started_at: "text",
      server: "text",
      needed: "amounts",
      goal_limits: "limits",
      grant_limits: "limits",
      spending_limits: "text?",
    },
    outcomes: {
      charged: [],
      exhausted: ["scope", "whose", "kind", "allowed", "limit", "spent", "reserved", "needed"],
      refused: tokenRefused,
    },
  },
  askCall: {
    keys: ["asked_calls"],
    args: {
      token: "model_token",
      id: "text",
      digest: "text",
      server: "text",
      tool: "text",
      arguments: "text",
      max: "number",
    },
    outcomes: {
      allowed: ["answer"],
      denied: ["answer", "words"],
      waits: [],
      full: [],
      refused: tokenRefused,
    },
  },
  decideCall: {
    keys: ["orchestrator", "asked_calls"],
    args: {
      epoch: "number",
      id: "text",
      claim: "text",
      agent: "text",
      digest: "text",
      state: "text",
      answer: "text",
      words: "text",
    },
    outcomes: { decided: [], already: [], fenced },
  },
  renewCalls: {
    keys: ["open_calls"],
    args: { calls: "model_call*", lease_ms: "number" },
  },
  endCall: {
    keys: ["open_calls", "calls"],
    args: {
      goal: "text",
      claim: "text",
      agent: "text",
      id: "text",
      started_at: "text",
      record: "text",
      cost: "amounts",
      event: "event",
      only: "text",
    },
    outcomes: { ended: [], known: [] },
  },
  raiseBudget: {
    keys: ["goal_budget"],
    args: { goal: "text", agent: "text", add: "amounts", cause: "text", event: "event" },
    outcomes: { raised: [], already: [], refused: ["reason"] },
  },
  raisePeriod: {
    keys: ["holds"],
    args: { period: "text", whose: "text", add: "amounts", cause: "text", event: "event" },
    outcomes: { raised: [], already: [] },
  },
  freeHolds: {
    keys: ["holds"],
    args: { all: "flag", now: "text" },
    outcomes: { freed: ["count"] },
  },
  wakeAgents: {
    keys: ["orchestrator", "agents"],
    args: { epoch: "number" },
    outcomes: { woken: [], fenced },
  },
  retireGoal: {
    keys: ["goal", "artefacts_of_goal", "open_questions", "goal_budget"],
    args: { artefacts: "number", claims: "number" },
    outcomes: { retired: [], changed: [] },
  },
  removeOfGoal: {
    keys: ["goal", "artefacts_of_goal"],
    args: { goal: "text", limit: "number" },
    outcomes: { left: ["count"] },
  },
  removeEvents: {
    keys: ["removed_events"],
    args: { ids: "text*" },
    outcomes: { removed: ["count"] },
  },
  removeOldEvents: {
    keys: ["orchestrator", "removed_events"],
    args: { epoch: "number", ids: "text*" },
    outcomes: { removed: ["count"], fenced },
  },
  forgetRefused: {
    keys: ["orchestrator", "refused_artefacts"],
    args: { epoch: "number" },
    outcomes: { forgotten: [], fenced },
  },
  countLostEvents: {
    keys: ["log", "removed_events"],
    args: {},
    outcomes: { lost: ["count", "logged"] },
  },
  recordArchive: {
    keys: ["archives"],
    args: { sha256: "text", archive: "text", goals: "text*", marks: "text*", event: "event" },
    outcomes: { recorded: [] },
  },
  eraseArtefacts: {
    keys: [
      "goal",
      "artefacts_of_goal",
      "digests",
      "with_commit",
      "refused_artefacts",
      "open_questions",
    ],
    args: { goal: "text", ids: "text*", metadata: "text*", events: "event*" },
    outcomes: { erased: ["count"], open: [], retired: [] },
  },
} as const;

export type FunctionName = keyof typeof functionTable;

function allOf<Name extends string, Only extends Kind>(
  names: readonly Name[],
  kind: Only,
): Record<Name, Only> {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Only>;
}
