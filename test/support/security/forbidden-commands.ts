// Lists what mallory's user of Redis may not send, by what it would be good for. Redis refuses
// every one of these commands.
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { agentName } from "../records/sample.ts";
import { ada, byHand, call, event, type ForbiddenCommands, forged } from "./forged-calls.ts";
import type { Prey } from "./hostile-scene.ts";

const [busy, writer] = [agentName("busy"), agentName("writer")];
const far = "9999999999999";

export const forbiddenCommands: ForbiddenCommands[] = [
  {
    attack: "a bid of another agent",
    commands: (at) => {
      const { claim, bids, laterBids } = at.keys;
      const args = {
        claim: at.claims.riddle,
        agent: writer,
        word: "exclusive",
        actor: "agent:writer@here",
        reason: "",
      };
      return [
        ["HSET", bids(at.claims.riddle), writer, "exclusive"],
        ["HSETNX", bids(at.claims.riddle), writer, "exclusive"],
        ["HSET", laterBids(at.claims.riddle), writer, "9 exclusive"],
        ["HSET", claim(at.claims.riddle), "bid_order", '[["writer","exclusive"]]'],
        call(
          at,
          "placeBid",
          { claim: claim(at.claims.riddle), bids: bids(at.claims.riddle) },
          args,
        ),
      ];
    },
  },
  {
    attack: "a result of another agent",
    commands: (at) => {
      const {
        claim,
        grants,
        bids,
        due,
        refusedArtefacts,
        orchestrator,
        openClaims,
        lanes,
        agentTaken,
      } = at.keys;
      const { work } = at.claims;
      const stored = {
        due,
        orchestrator,
        refused_artefacts: refusedArtefacts,
        open_claims: openClaims,
        lanes,
      };
      const over: Partial<Artefact> = {
        type: "Code",
        produced_by_role: "busy",
        produced_by_agent: busy,
        claim_id: work,
        source_artefacts: [at.letter],
      };
      const artefact = forged(over);
      const grant = JSON.stringify({
        ...at.running,
        state: "done",
        ended_at: artefact.created_at,
        artefact_ids: [artefact.id],
      });
      const finish = {
        claim: work,
        agent: busy,
        ...at.running,
        grant,
        artefact,
        actor: "agent:busy@here",
        mail: undefined,
      };
      const alone = { start: undefined, commit: undefined, is_unlogged: false };
      return [
        ["HSET", grants(work), busy, grant],
        ...byHand(at, over),
        call(
          at,
          "finishGrant",
          {
            ...stored,
            claim: claim(work),
            grants: grants(work),
            bids: bids(work),
            taken: agentTaken(busy),
          },
          {
            ...{ ...finish, ...alone, event_type: "grant_done", event_data: "{}" },
            output: undefined,
            pieces: [],
            lane: undefined,
          },
        ),
      ];
    },
  },
  {
    attack: "a question of another agent",
    commands: (at) => [
      ...byHand(at, {
        structural_type: "Question",
        type: "Question",
        produced_by_role: "busy",
        produced_by_agent: busy,
      }),
      ["ZADD", at.key("questions:open"), "1", at.letter],
      ["HSET", at.key(`question:${at.letter}`), "answer", ""],
      call(at, "askPeople", asQuestion(at, at.letter), { epoch: 1, question: at.letter }),
    ],
  },
  {
    attack: "the end, the start or the lease of another agent's work",
    commands: (at) => {
      const { claim, due, grants, orchestrator, mailOut, agentTaken } = at.keys;
      const { work, queued } = at.claims;
      const [taken, own] = [agentTaken(busy), agentTaken(agentName("mallory"))];
      const run = {
        claim: queued,
        agent: busy,
        attempt: 1,
        queued_at: "",
        run: "",
        id: "1",
        text: "{}",
      };
      const begin = {
        ...{ claim: queued, agent: busy, run: "", id: "1", may_take: true },
        ...{ said_before: "{", said_after: "}", max_steps: 1, max_bytes: 1_000_000 },
      };
      const accept = {
        claim: queued,
        agent: busy,
        attempt: 1,
        queued_at: "",
        run: "",
        grant: "{}",
        lease_ms: 1,
        actor: "",
        event_data: "{}",
        mail: undefined,
      };
      return [
        ["HSET", grants(queued), busy, "{}"],
        ["HDEL", grants(work), busy],
        ["HINCRBY", claim(work), "rev", "1"],
        ["ZADD", `${due}:lease`, "0", `lease:${work}:busy:1`],
        ["ZREM", `${due}:lease`, `lease:${work}:busy:1`],
        call(
          at,
          "renewLease",
          { claim: claim(work), due },
          { claim: work, agent: busy, attempt: 1, lease_ms: 1 },
        ),
        call(
          at,
          "acceptGrant",
          { claim: claim(queued), grants: grants(queued), due, orchestrator, taken },
          accept,
        ),
        call(at, "takeGrant", { taken, mail: mailOut(busy) }, run),
        call(at, "takeGrant", { taken: own, mail: mailOut(busy) }, run),
        call(at, "beginWork", { taken, mail: mailOut(busy) }, begin),
        call(at, "beginWork", { taken: own, mail: mailOut(busy) }, begin),
        ["HSET", taken, queued, "1  "],
      ];
    },
  },
  {
    attack: "a person's approval",
    commands: (at) => {
      const { claim, grants, artefactDigests: digests } = at.keys;
      const { plan } = at.claims;
      const review: Partial<Artefact> = {
        structural_type: "Review",
        type: "Review",
        payload: "{}",
        source_artefacts: [at.plan],
        claim_id: plan,
      };
      const verdict = {
        review: forged(review),
        attempt: 1,
        grant: "{}",
        is_last: true,
        approved: 0,
        judged_digest: "",
        event_data: "{}",
      };
      return [
        ["HSET", grants(plan), "lead", "{}"],
        ...byHand(at, {
          ...review,
          produced_by_role: "lead",
          produced_by_agent: agentName("lead"),
        }),
        call(
          at,
          "recordVerdict",
          { claim: claim(plan), grants: grants(plan), digests },
          { ...verdict, actor: ada },
        ),
      ];
    },
  },
  {
    attack: "a person's answer",
    commands: (at) => {
      const answer: Partial<Artefact> = {
        structural_type: "Answer",
        type: "Answer",
        payload: "yes",
        source_artefacts: [at.question],
      };
      const { question_artefact, question } = asQuestion(at, at.question);
      const args = { question: at.question, actor: ada, answer: forged(answer) };
      return [
        ["HSET", question, "answer", at.letter],
        ["ZREM", at.key("questions:open"), at.question],
        ...byHand(at, answer),
        call(at, "answerQuestion", { question_artefact, question }, args),
      ];
    },
  },
  {
    attack: "a goal in a person's name",
    commands: (at) => [
      ...byHand(at, {}),
      call(at, "createArtefact", {}, { artefact: forged({}), actor: ada }),
    ],
  },
  {
    attack: "a cancel, a pause or a retry in a person's name",
    commands: (at) => {
      const {
        goal,
        orchestrator,
        openQuestions: open_questions,
        events,
        agents,
        paused,
        pausedMail: paused_mail,
        pausedGoals: paused_goals,
      } = at.keys;
      const cancel = event("cancel_requested", { goal_id: at.goal });
      const ending = { epoch: 1, goal: at.goal, ending: "cancelled", by: ada, failure: undefined };
      return [
        ["HSET", goal(at.goal), "ended", "cancelled"],
        ["HSET", orchestrator, "paused_since", "1"],
        ["XADD", events, "*", "type", cancel.type, "event", cancel.text],
        call(at, "logEvent", {}, { event: cancel }),
        call(at, "endGoal", { orchestrator, goal: goal(at.goal), open_questions }, ending),
        ["SET", paused, "1"],
        call(
          at,
          "setPaused",
          { orchestrator, agents, paused, paused_mail },
          { epoch: 1, is_paused: true, by: ada, since: "1", request: undefined },
        ),
        ["HDEL", paused_goals, at.goal],
        call(
          at,
          "pauseGoal",
          { orchestrator, agents, goal: goal(at.goal), paused_goals },
          { epoch: 1, goal: at.goal, is_paused: false, by: ada, since: "1", request: undefined },
        ),
      ];
    },
  },
  {
    attack: "an artefact rewritten, its thread, its index or its digest",
    commands: ({ key, letter, goal }) => [
      ["HSET", key(`artifact:${letter}`), "payload", "Dear Mallory,"],
      ["HDEL", key(`artifact:${letter}`), "payload"],
      ["HSET", key("artefacts:digests"), letter, "0"],
      ["HSET", key("artefacts:refused"), letter, "0 no"],
      ["ZADD", key(`thread:${letter}`), "2", goal],
      ["ZREM", key("artefacts"), letter],
      ["ZREM", key(`goal:${goal}:artefacts`), letter],
      ["ZADD", key("goals"), "1", letter],
    ],
  },
  {
    attack: "the registration of an agent",
    commands: (at) => {
      const { agents, expectedAgents: expected_agents, senders } = at.keys;
      const stored = { agents, expected_agents, senders };
      const json = JSON.stringify({ name: "busy", bid_command: ["/bin/sh"] });
      const registrations = [{ name: "busy", role: "busy", json, event_data: "{}" }];
      return [
        ["HSET", agents, "busy", json, "mallory", json],
        ["HDEL", agents, "busy"],
        ["HSET", expected_agents, "busy", json],
        ["HSET", senders, "mallory", "user"],
        call(at, "registerAgents", stored, { actor: ada, mode: "exact", registrations }),
      ];
    },
  },
  {
    attack: "the log: an entry more, one less, or to read it",
    commands: (at) => {
      const { events, orchestrator } = at.keys;
      const logged = event("instance_stopped", {});
      return [
        ["XADD", events, "*", "type", logged.type, "event", logged.text],
        ["XDEL", events, "0-1"],
        ["XTRIM", events, "MAXLEN", "0"],
        ["XSETID", events, `${far}-1`],
        ["XRANGE", events, "-", "+"],
        ["XREVRANGE", events, "+", "-", "COUNT", "1"],
        ["XREAD", "STREAMS", events, "0"],
        call(at, "logEvent", {}, { event: logged }),
        call(at, "logAsLeader", { orchestrator }, { epoch: 1, event: logged }),
        call(at, "removeEvents", { removed_events: at.keys.removedEvents }, { ids: ["0-1"] }),
        call(
          at,
          "removeOldEvents",
          { orchestrator, removed_events: at.keys.removedEvents },
          { epoch: 1, ids: ["0-1"] },
        ),
      ];
    },
  },
  {
    attack: "the leader's lease and its place in the log",
    commands: (at) => {
      const { orchestrator, due, announcements } = at.keys;
      return [
        ["HSET", orchestrator, "holder", "mallory"],
        ["HSET", orchestrator, "cursor", `${far}-1`],
        ["HINCRBY", orchestrator, "epoch", "1"],
        ["ZADD", `${due}:bids`, "0", "mallory"],
        ["XADD", announcements, "*", "claim", at.claims.riddle, "about", "{}"],
        call(
          at,
          "acquireLeaderLease",
          { orchestrator, due },
          { holder: "mallory", lease_ms: 1, restarted: true, version: undefined },
        ),
        call(at, "moveCursor", { orchestrator }, { epoch: 1, field: "cursor", cursor: `${far}-1` }),
        call(at, "releaseLeaderLease", { orchestrator }, { epoch: 1 }),
      ];
    },
  },
  {
    attack: "budgets, and tokens to ask another agent's model",
    commands: (at) => {
      const { bidTokens, goalBudget, claimBudget, gateway } = at.keys;
      const { riddle } = at.claims;
      return [
        ["HSET", bidTokens(riddle), writer, "0"],
        ["HGETALL", bidTokens(riddle)],
        ["HINCRBY", goalBudget(at.goal), "added_nanousd", "1"],
        ["HSET", claimBudget(riddle), "mallory:spent_nanousd", "0"],
        ["SET", gateway, "{}"],
        call(
          at,
          "allowBidCalls",
          { bid_tokens: bidTokens(riddle) },
          { claim: riddle, agent: writer, digest: "0" },
        ),
      ];
    },
  },
  {
    attack: "its own keys made into what the programs of others cannot read",
    commands: ({ key }) => [
      ...["out", "grants", "in", "registration"].map((name) => [
        "SET",
        key(`agent:mallory:${name}`),
        "{}",
      ]),
      ...["out", "grants", "status"].map((name) => [
        "HSET",
        key(`agent:mallory:${name}`),
        "id",
        "x",
      ]),
      ...["grants", "status", "in"].map((name) => [
        "XADD",
        key(`agent:mallory:${name}`),
        "*",
        "re",
        "x",
        "text",
        "x",
      ]),
      ["DEL", key("agent:mallory:out")],
    ],
  },
  {
    attack: "the status of another agent",
    commands: ({ key }) => [["SET", key("agent:busy:status"), '{"at":0,"state":"idle"}']],
  },
  {
    attack: "any other function, under the name of a key that is its own",
    commands: (at) => {
      const [, library = "", ...words] = call(
        at,
        "createArtefact",
        {},
        { artefact: forged({}), actor: ada },
      );
      const own = [at.key("agent:mallory:out"), at.key("agent:mallory:taken"), at.key("probe")];
      return own.map((key) => [
        "FCALL",
        library,
        ...words.map((word) => (word === at.keys.events ? key : word)),
      ]);
    },
  },
  {
    attack: "the mail, the queue or the indexes of another agent, and its own indexes",
    commands: ({ key, claims }) => [
      ["XADD", key("agent:busy:out"), "*", "method", "reportStatus", "body", "{}"],
      ["XADD", key("agent:busy:in"), "*", "answer", "{}"],
      ["XREAD", "STREAMS", key("agent:busy:in"), "0"],
      ["XREAD", "STREAMS", key("agent:busy:out"), "0"],
      ["XRANGE", key("agent:busy:out"), "-", "+"],
      ["BLMPOP", "0.01", "1", key("agent:busy:grants"), "LEFT"],
      ["LPOP", key("agent:busy:grants")],
      ["RPUSH", key("agent:busy:grants"), claims.riddle],
      ["ZREM", key("agent:busy:queued"), claims.queued],
      ["ZADD", key("agent:busy:work"), "1", claims.riddle],
      ["ZADD", key("agent:mallory:work"), "1", claims.riddle],
      ["XADD", key("agent:busy:logs"), "*", "text", "forged"],
      ...["grants", "out", "status"].map((name) => ["DEL", key(`agent:busy:${name}`)]),
    ],
  },
];

function asQuestion({ keys }: Prey, question: ArtefactId) {
  const { orchestrator, openQuestions: open_questions } = keys;
  return {
    question_artefact: keys.artefact(question),
    orchestrator,
    question: keys.question(question),
    open_questions,
  };
}
