// An instance of the release before is taken over by `sett up`: what its images have begun, this
// release's images end.
import { expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { hasReleaseBefore, releaseBefore } from "../support/sett/release-before.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

/** It also builds the release before. */
setDefaultTimeout(1_800_000);

/** Does what the goal's text says. `work` goes on until the test lets it go, or for ten seconds. */
const working = `
input=$(cat); text=$(echo "$input" | jq -r .target_artefact.payload)
end() { jq -n --arg text "$1" '{structural_type: "Terminal", artefact_type: "End", artefact_payload: $text, summary: ""}'; }
case $text in
  ask)
    answer=$(echo "$input" | jq -r '[.additional_context[] | select(.structural_type == "Answer").payload] | last // empty')
    if [ -z "$answer" ]; then jq -n '{structural_type: "Question", payload: "Which one?"}'; else end "$answer"; fi ;;
  work) tries=0; until [ -e /tmp/go ] || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done; end "$text" ;;
  plan) jq -n '{artefact_type: "Plan", artefact_payload: "plan", summary: ""}' ;;
  audit) jq -n '{artefact_type: "Draft", artefact_payload: "draft", summary: ""}' ;;
  *) end "$text" ;;
esac`;

const ending = `cat > /dev/null; jq -n '{structural_type: "Terminal", artefact_type: "End", artefact_payload: "ended", summary: ""}'`;

const files = {
  ...scriptAgent("worker", working),
  ...scriptAgent("packager", ending),
  // Commands decide its bids, in both releases.
  ...scriptAgent("chooser", ending),
  "sett.yml": `${settYml({
    worker: "    retries: 3\n    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
    packager:
      "    bids:\n      - { on: Plan, bid: exclusive }\n      - { on: Draft, bid: exclusive }\n",
    chooser: '    bid_command: ["/bin/echo", "ignore"]\n',
  })}  lead: { human: true, bids: [{ on: Plan, bid: review }] }
  auditor: { external: true }
`,
};

test.skipIf(!hasReleaseBefore)(
  "goals that the release before has begun come to their ends under this one",
  async () => {
    const before = await releaseBefore();
    await using sett = await SettWorkspace.create(files);
    await sett.commit("Add a sett");
    sett.binary = before;
    await sett.up();
    const found = <Value>(what: string, look: () => Promise<Value | undefined | false>) =>
      waitFor(what, look, { everyMs: 300 });
    const typed = (goal: string, type: string) =>
      found(`a ${type}`, async () =>
        (await sett.artefacts(goal)).find((artefact) => artefact.type === type),
      );
    const claimsSaid = new Set<string>();
    /** The auditor takes part by hand: it bids on each claim of the goal, by its mail. */
    const bidByHand = async (goal: string) => {
      for (const { type, claim_id } of await sett.events(goal)) {
        if (type !== "claim_opened" || claim_id === undefined || claimsSaid.has(claim_id)) continue;
        const text = JSON.stringify({ message: { say: "bid", claim: claim_id, word: "ignore" } });
        const mail = `sett:${sett.name}:agent:auditor:out`;
        const [redis, id] = [`sett-${sett.name}-redis`, crypto.randomUUID()];
        await $`docker exec ${redis} redis-cli XADD ${mail} ${"*"} id ${id} text ${text}`.quiet();
        claimsSaid.add(claim_id);
      }
    };
    const untilBid = (goal: string, look: () => Promise<Artefact | undefined>) =>
      found(`${goal} to go on`, async () => {
        await bidByHand(goal);
        return await look();
      });
    const soon = (goal: string, type: string) =>
      untilBid(goal, async () =>
        (await sett.artefacts(goal)).find((artefact) => artefact.type === type),
      );

    const asking = await sett.forage("ask");
    const question = await soon(asking, "Question");
    const planning = await sett.forage("plan");
    await soon(planning, "Plan");
    const audited = await sett.forage("audit");
    // The claim about the draft stays open: the auditor's bid is missing.
    await soon(audited, "Draft");
    const busy = await sett.forage("work");
    await untilBid(busy, async () => {
      const isRunning = (await sett.events(busy)).some(({ type }) => type === "grant_started");
      return isRunning ? question : undefined;
    });
    const queued = await sett.forage("last");
    await found("the bids", async () =>
      (await sett.events(queued)).some(({ type }) => type === "bid_placed"),
    );

    sett.binary = undefined;
    await sett.up();
    const again = await sett.need("up", "--name", sett.name);
    expect(again).toContain("nothing has changed");
    await $`docker exec sett-${sett.name}-agent-worker touch /tmp/go`.quiet();

    await sett.need("answer", question.id, "this one");
    expect((await soon(asking, "End")).payload).toBe("this one");
    const plan = await typed(planning, "Plan");
    await untilBid(planning, async () =>
      (await sett.sett("approve", plan.id)).code === 0 ? plan : undefined,
    );
    await soon(planning, "End");
    await soon(audited, "End");
    expect((await soon(busy, "End")).payload).toBe("work");
    expect((await soon(queued, "End")).payload).toBe("last");

    for (const goal of [asking, planning, audited, busy, queued]) {
      await bidByHand(goal);
      const { artefacts, events } = {
        artefacts: await sett.artefacts(goal),
        events: await sett.events(goal),
      };
      expect(
        artefacts.filter(({ structural_type }) => structural_type === "Failure" && goal !== busy),
      ).toEqual([]);
      expect(artefacts.filter(({ type }) => type === "End")).toHaveLength(1);
      expect(
        events.filter(({ type }) => type === "unreadable" || type === "event_given_up"),
      ).toEqual([]);
    }

    // The way back follows: what this release has begun, the release before ends, by the steps of
    // docs/operations.md.
    const inquiring = await sett.forage("ask");
    const second = await soon(inquiring, "Question");
    const planned = await sett.forage("plan");
    const draft = await soon(planned, "Plan");
    await sett.need("pause");
    const waiting = await sett.forage("last");
    sett.binary = before;
    await sett.up();
    await sett.need("resume");
    await sett.need("answer", second.id, "the other one");
    expect((await soon(inquiring, "End")).payload).toBe("the other one");
    await untilBid(planned, async () =>
      (await sett.sett("approve", draft.id)).code === 0 ? draft : undefined,
    );
    await soon(planned, "End");
    expect((await soon(waiting, "End")).payload).toBe("last");
    const failures = (await sett.artefacts(inquiring)).filter(
      ({ structural_type }) => structural_type === "Failure",
    );
    expect(failures).toEqual([]);
  },
);
