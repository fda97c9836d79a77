// Agents whose images are named rather than built, a bidding that the first bid closes, and a cub
// that is killed at its work.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import type { SettEvent } from "../../lib/model/event.ts";
import { bidsOf } from "../../lib/model/recorded-bids.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const image = "debian:bookworm-slim";
const leaseMs = 300_000;
/** However busy the machine is, no deadline ends within this time. */
const patience = { timeoutMs: 120_000, everyMs: 200 };

/**
 * Says which system it runs in; where the goal wants it to, it first works until it is killed,
 * once: what git ignores is kept for its next try.
 */
const paint = `
case "$(cat)" in *linger*) [ -e lingered ] || { : > lingered; sleep 600; } ;; esac
. /etc/os-release
printf '{"artefact_type":"Draft","artefact_payload":"painted on %s","summary":""}' "$ID"
`;
const hang = `cat > /dev/null; echo '{"structural_type":"Terminal","artefact_type":"Hung","artefact_payload":"up","summary":""}'`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ".gitignore": "lingered\n",
    "sett.yml": JSON.stringify({
      version: "1.0",
      consensus: "first_bid",
      limits: { lease: "5m", bid_deadline: "10m" },
      agents: {
        painter: {
          image,
          command: ["/bin/sh", "-c", paint],
          bids: [{ on: "GoalDefined", bid: "exclusive" }],
          retries: 1,
          workspace: { keep: true },
        },
        hanger: {
          image,
          command: ["/bin/sh", "-c", hang],
          bids: [{ on: "Draft", bid: "exclusive" }],
        },
        // Nothing is started for it, and so it says nothing by itself.
        bystander: { external: true },
        // Its rules say review, and its command, which decides, wants to see no draft.
        critic: {
          image,
          command: ["/bin/sh", "-c", paint],
          bid_command: ["/bin/sh", "-c", "sleep 2; echo ignore"],
          bids: [{ on: "Draft", bid: "review" }],
        },
      },
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

/** The goal's events, once this one is among them. */
function eventOf(
  goal: string,
  isIt: (event: SettEvent) => boolean,
): Promise<{ events: SettEvent[]; event: SettEvent }> {
  return waitFor(
    "an event",
    async () => {
      const events = await sett.events(goal);
      const event = events.find(isIt);
      return event && { events, event };
    },
    patience,
  );
}

const isBid = (agent: string, word: string) => (event: SettEvent) =>
  bidsOf(event).some((bid) => bid.agent === agent && bid.word === word);

test("with first_bid the first bid that wants a claim closes its bidding, but not before those whose rules say review", async () => {
  const goal = await sett.forage("Paint the door");
  const { claim_id: claim } = (await eventOf(goal, isBid("hanger", "exclusive"))).event;
  const { events } = await eventOf(
    goal,
    ({ type, claim_id }) => type === "claim_completed" && claim_id === claim,
  );
  const of = (about: string | undefined, ...types: SettEvent["type"][]) =>
    events.filter((event) => event.claim_id === about && types.includes(event.type));
  const bids = (about: string | undefined) =>
    of(about, "bids_placed", "bid_placed", "bid_imposed", "bidding_closed").flatMap((event) =>
      event.type === "bidding_closed"
        ? [event.type]
        : bidsOf(event).map(({ agent, word }) => `${event.type} ${agent} ${word}`),
    );
  // Neither the bystander was heard, nor the critic, whose rules do not match a goal.
  const first = bids(
    events.find(({ artefact_id, type }) => type === "claim_opened" && artefact_id === goal)
      ?.claim_id,
  );
  expect(first).toContain("bids_placed painter exclusive");
  expect(first).toContain("bid_imposed bystander ignore");
  expect(first).toContain("bid_imposed critic ignore");
  expect(first.at(-1)).toBe("bidding_closed");
  const second = bids(claim);
  expect(second.indexOf("bid_placed critic ignore")).toBeGreaterThan(
    second.indexOf("bids_placed hanger exclusive"),
  );
  expect(second).toContain("bid_imposed bystander ignore");
  expect(second.at(-1)).toBe("bidding_closed");
  const grants = of(claim, "grant_queued", "grant_done").map(
    ({ type, agent }) => `${type} ${agent}`,
  );
  expect(grants).toEqual(["grant_queued hanger", "grant_done hanger"]);
});

test("an agent with an image that is named works in that image, by a program of its own", async () => {
  const goal = await sett.forage("Paint the window");
  await eventOf(goal, ({ type, data }) => type === "artefact_created" && data?.type === "Hung");
  expect((await sett.artefacts(goal)).map(({ payload }) => payload)).toEqual([
    "Paint the window",
    "painted on debian",
    "up",
  ]);
  const idOf = async (format: string, what: string) =>
    (await $`docker inspect --format ${format} ${what}`.text()).trim();
  expect(await idOf("{{.Image}}", `sett-${sett.name}-agent-painter`)).toBe(
    await idOf("{{.Id}}", image),
  );
});

test("a cub that is killed at its work says so as soon as its container is there again, long before its lease would lapse", async () => {
  const goal = await sett.forage("linger over the wall");
  await eventOf(goal, ({ type, agent }) => type === "grant_started" && agent === "painter");
  // Its command runs: what has begun is lost with it.
  await waitFor("the command", async () =>
    (await $`docker top sett-${sett.name}-agent-painter`.text()).includes("sleep 600"),
  );
  const killedAt = Date.now();
  await sett.kill("agent-painter");
  const { event } = await eventOf(goal, ({ type }) => type === "grant_failed");
  expect(event).toMatchObject({
    agent: "painter",
    actor: expect.stringMatching(/^agent:painter@[0-9a-f]{12}$/),
  });
  expect(Date.parse(event.time) - killedAt).toBeLessThan(leaseMs / 2);
  // Its retry is due as after any lost attempt.
  await eventOf(goal, ({ type, data }) => type === "artefact_created" && data?.type === "Hung");
  const [, failure, ...made] = await sett.artefacts(goal);
  expect(failure).toMatchObject({ type: "AttemptLost", produced_by_agent: "painter" });
  expect(made.map(({ payload }) => payload)).toEqual(["painted on debian", "up"]);
});
