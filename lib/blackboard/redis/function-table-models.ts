// The part of the table of Lua functions (function-table.ts) that is about calls of language
// models.
export const modelRecords = {
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
    json: "text",
  },
} as const;

const tokenRefused = ["reason", "is_ended"] as const;

export const modelFunctions = {
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
      json: "text",
      needed: "amounts",
      goal_limits: "limits",
      grant_limits: "limits",
      lease_ms: "number",
    },
    outcomes: {
      reserved: ["call"],
      exhausted: ["scope", "kind", "allowed", "limit", "spent", "reserved", "needed"],
      refused: tokenRefused,
    },
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
} as const;
