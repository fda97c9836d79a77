import { describe, expect, test } from "bun:test";
import { ClaimWatcher } from "../../../../../apps/cub/bid/claim-watcher.ts";
import { CutOff, NotBegun } from "../../../../../apps/cub/container/clean-slate.ts";
import type { RunBidCommand } from "../../../../../apps/cub/tool/commands.ts";
import type { CommandOutcome } from "../../../../../lib/process/command.ts";
import { cubScene, heldTool } from "../../../../support/cub/scene.ts";
import { nightly } from "../../../../support/nightly.ts";
import { agentName } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";
import { exited } from "../../../../support/world/tool.ts";

describe("the claim watcher", () => {
  test("bids on the claims that are open when it starts and ask for its bid, and on each one that is announced later", async () => {
    const agent = {
      bids_by_command: true,
      bids: [{ on: "Report", from: "coder", bid: "claim" }],
    } as const;
    await using scene = await cubScene({ agent: { ...agent, bids: [...agent.bids] } });
    const { standIn } = scene;
    const early = await standIn.open(await standIn.post(), [scene.agent]);
    const known = await standIn.open(await standIn.post({ produced_by_role: "coder" }), [
      scene.agent,
    ]);
    scene.start();
    expect(await standIn.bidOn(early, scene.agent)).toBe("ignore");
    const late = await standIn.open(await standIn.post({ type: "Report" }), [scene.agent]);
    expect(await standIn.bidOn(late, scene.agent)).toBe("ignore");
    // It has said in advance that it ignores what its own role made.
    expect((await standIn.read(known)).claim.bids).toEqual([]);
  });

  test("bids by the default where it is asked and nothing is configured", async () => {
    await using scene = await cubScene();
    const { standIn, agent } = scene;
    scene.start();
    await scene.listening();
    expect(await standIn.bidOn(await standIn.open(await standIn.post(), [agent]), agent)).toBe(
      "exclusive",
    );
  });

  test("bids by the agent's rules", async () => {
    await using scene = await cubScene({ agent: { bids: [{ on: "Code*", bid: "review" }] } });
    const { standIn, agent } = scene;
    scene.start();
    await scene.listening();
    const claim = await standIn.open(await standIn.post({ type: "CodeCommit" }), [agent]);
    expect(await standIn.bidOn(claim, agent)).toBe("review");
  });

  test("goes on bidding while work runs", async () => {
    const { tool, endWork } = heldTool();
    await using scene = await cubScene({ tool });
    const { standIn, agent } = scene;
    scene.start();
    await scene.listening();
    const busy = await standIn.openGranted(await standIn.post(), agent);
    await waitFor("the tool", () => scene.inputs.length === 1);
    const other = await standIn.open(await standIn.post(), [agent]);
    expect(await standIn.bidOn(other, agent)).toBe("exclusive");
    expect((await standIn.grantOf(busy, agent))?.state).toBe("running");
    endWork();
    expect((await standIn.ended(busy, agent)).state).toBe("done");
  });

  test("a tick bids on no claim that is closed, has the bid already, or asks other agents", async () => {
    await using scene = await cubScene();
    const { standIn, agent, deps, stop } = scene;
    const others = await standIn.open(await standIn.post(), []);
    const closed = await standIn.open(await standIn.post(), [agent]);
    await standIn.grant(closed, agent);
    const watcher = new ClaimWatcher(deps);
    await watcher.tick([others, closed], stop.signal);
    expect(watcher.biddingOn).toEqual([]);
    expect((await standIn.read(closed)).claim.bids).toEqual([]);
  });

  test("a slow bid command delays neither other bids nor new claims, and at most eight run at once", async () => {
    let running = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    const runBidCommand: RunBidCommand = async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => gates.push(resolve));
      running--;
      return exited("claim\n");
    };
    await using scene = await cubScene({
      agent: { bids_by_command: true },
      over: { runBidCommand },
    });
    const { standIn, agent } = scene;
    scene.start();
    const claims = await Promise.all(
      Array.from({ length: 12 }, async () => standIn.open(await standIn.post(), [agent])),
    );
    await waitFor("eight bid commands", () => gates.length === 8);
    gates.pop()?.();
    await waitFor("the ninth", () => gates.length === 8);
    const opening = setInterval(() => gates.pop()?.(), 1);
    for (const claim of claims) expect(await standIn.bidOn(claim, agent)).toBe("claim");
    clearInterval(opening);
    expect(most).toBe(8);
  });

  test("an announcement for other agents is skipped", async () => {
    const targets: string[] = [];
    const runBidCommand: RunBidCommand = async ({ stdin }) => {
      targets.push(JSON.parse(String(stdin)).id);
      return exited("ignore");
    };
    await using scene = await cubScene({
      agent: { bids_by_command: true },
      over: { runBidCommand },
    });
    const { standIn, agent } = scene;
    scene.start();
    const target = await standIn.post();
    const claim = await standIn.open(target, [agent, agentName("other")]);
    expect(await standIn.bidOn(claim, agent)).toBe("ignore");
    await standIn.announce(claim);
    // Heard of after that.
    const next = await standIn.post();
    expect(await standIn.bidOn(await standIn.open(next, [agent]), agent)).toBe("ignore");
    expect(targets).toEqual([target.id, next.id]);
  });

  const badOutcomes: [string, CommandOutcome][] = [
    ["says a word that is none", exited("maybe")],
    ["says nothing", exited("")],
    ["fails", exited("exclusive", 3)],
    [
      "runs out of time",
      {
        kind: "timed_out",
        exitCode: null,
        signal: "SIGKILL",
        stdout: new Uint8Array(),
        stderr: new Uint8Array(),
        durationMs: 10_000,
      },
    ],
    [
      "is missing",
      { kind: "not_started", reason: "not_found", message: 'The command "/bid" does not exist.' },
    ],
  ];
  const nothing = new Uint8Array();
  test.each<[string, CommandOutcome, string]>([
    [
      "says nothing",
      exited(""),
      "The bid command printed nothing: it must print one of review, claim, exclusive, ignore.",
    ],
    [
      "says something else",
      exited("maybe"),
      'The bid command printed "maybe": it must print one of',
    ],
    [
      "says too much",
      {
        kind: "output_too_large",
        stream: "stdout",
        exitCode: null,
        signal: "SIGTERM",
        stdout: nothing,
        stderr: nothing,
        durationMs: 9,
      },
      "The bid command wrote more to stdout than is allowed.",
    ],
  ])("a bid command that %s is logged with a sentence", async (_what, outcome, sentence) => {
    await using scene = await cubScene({
      agent: { bids_by_command: true },
      over: { runBidCommand: async () => outcome },
    });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.open(await standIn.post(), [agent]);
    expect(await standIn.bidOn(claim, agent)).toBe("ignore");
    expect(scene.lines.find((line) => line.msg === "Failed to decide the bid")?.error).toContain(
      sentence,
    );
  });

  test.each(badOutcomes)(
    "a bid command that %s makes an `ignore` bid and a line in the log",
    async (_what, outcome) => {
      await using scene = await cubScene({
        agent: { bids_by_command: true },
        over: { runBidCommand: async () => outcome },
      });
      const { standIn, agent } = scene;
      scene.start();
      const claim = await standIn.open(await standIn.post(), [agent]);
      expect(await standIn.bidOn(claim, agent)).toBe("ignore");
      expect(scene.messages()).toContain("Failed to decide the bid");
    },
  );

  test("a bid command that the machine does not let run is no `ignore` bid, and is tried again", async () => {
    const exhausted = {
      kind: "not_started",
      reason: "exhausted",
      message: "Too many processes.",
    } as const;
    let tries = 0;
    const runBidCommand: RunBidCommand = async () => {
      tries++;
      if (tries === 1) throw new NotBegun("/tmp is closed.");
      return tries === 2 ? exhausted : exited("exclusive");
    };
    await using scene = await cubScene({
      agent: { bids_by_command: true },
      over: { runBidCommand },
    });
    const { standIn, agent, lines } = scene;
    const { cub } = scene.start();
    const claim = await standIn.open(await standIn.post(), [agent]);
    await waitFor("the first try", () => tries === 1);
    await waitFor("its trouble", () => !cub.health().ok);
    expect(await standIn.bidOn(claim, agent)).toBe("exclusive");
    expect(cub.health()).toEqual({ ok: true });
    const warnings = lines.filter(
      ({ msg }) => msg === "The bid command does not run, trying again",
    );
    expect(warnings.map(({ error }) => error)).toEqual(["/tmp is closed.", "Too many processes."]);
  });

  nightly(
    "a bid command that ends the run beside it each time is an `ignore` bid at last",
    async () => {
      let tries = 0;
      const runBidCommand: RunBidCommand = async () => {
        tries++;
        throw new CutOff("It needed more memory.");
      };
      await using scene = await cubScene({
        agent: { bids_by_command: true },
        over: { runBidCommand },
      });
      const { standIn, agent } = scene;
      scene.start();
      const claim = await standIn.open(await standIn.post(), [agent]);
      expect(await standIn.bidOn(claim, agent)).toBe("ignore");
      expect(tries).toBe(10);
    },
  );

  test("a registration that asks for a model or a command which the environment does not name makes an `ignore` bid", async () => {
    await using scene = await cubScene({ agent: { asks_model: true } });
    await using other = await cubScene({
      agent: { bids_by_command: true },
      over: { runBidCommand: undefined },
    });
    for (const { standIn, agent, start, lines } of [scene, other]) {
      start();
      const claim = await standIn.open(await standIn.post(), [agent]);
      expect(await standIn.bidOn(claim, agent)).toBe("ignore");
      const errors = lines
        .filter((line) => line.level === "error")
        .map(({ msg, error }) => `${msg} ${error ?? ""}`);
      // A claim that is opened at the start may be heard of twice.
      expect([...new Set(errors)]).toEqual([
        expect.stringMatching(/environment names none|SETT_BID_COMMAND/),
      ]);
    }
  });

  test("an artefact of its own role is ignored without running the bid command", async () => {
    await using scene = await cubScene({
      agent: { bids_by_command: true },
      over: { runBidCommand: async () => exited("exclusive") },
    });
    const { standIn, agent } = scene;
    scene.start();
    await scene.listening();
    const claim = await standIn.open(await standIn.post({ produced_by_role: "coder" }), [agent]);
    expect(await standIn.bidOn(claim, agent)).toBe("ignore");
  });

  test("an agent with replicas bids and never works", async () => {
    await using scene = await cubScene({ agent: { replicas: 2, strategy: "fresh_per_call" } });
    const { standIn, agent } = scene;
    scene.start();
    await scene.listening();
    const granted = await standIn.openGranted(await standIn.post(), agent);
    const claim = await standIn.open(await standIn.post(), [agent]);
    await standIn.bidOn(claim, agent);
    expect((await standIn.grantOf(granted, agent))?.state).toBe("queued");
  });
});
