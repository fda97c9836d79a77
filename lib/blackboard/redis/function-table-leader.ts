// The part of the table of Lua functions (function-table.ts) that is about the leader lease, and
// what only its holder may do.
const fenced = [] as const;

export const leaderFunctions = {
  acquireLeaderLease: {
    keys: ["orchestrator", "due"],
    args: { holder: "text", lease_ms: "number", restarted: "flag" },
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
    keys: ["orchestrator", "mail", "paused_mail"],
    args: { epoch: "number", agent: "text" },
    outcomes: { reopened: [], kept: [], fenced },
  },
  postAsLeader: {
    keys: ["orchestrator"],
    args: { epoch: "number", artefact: "artefact" },
    outcomes: { created: [], exists: [], fenced, refused: ["reason"] },
  },
} as const;
