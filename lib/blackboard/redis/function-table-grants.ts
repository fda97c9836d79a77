// The part of the table of Lua functions (function-table.ts) that is about grants, from their
// taking to their results.

const refused = ["reason"] as const;

export const grantFunctions = {
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
    },
    outcomes: {
      finished: ["commit", "rev"],
      not_started: ["reason"],
      id_taken: ["reason"],
      refused,
    },
  },
} as const;
