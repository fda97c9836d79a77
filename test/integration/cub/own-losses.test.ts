// A cub that was killed at its work says itself that this is lost, as soon as it is there again, and nothing of the work of others.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { reportOwnLosses } from "../../../apps/cub/own-losses.ts";
import { containerIn, hasEnded, readOwnProcess } from "../../../apps/cub/own-process.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { ProcessMark, RunningGrant } from "../../../lib/model/claim.ts";
import { type ClaimId, InstanceName } from "../../../lib/model/ids.ts";
import { identify } from "../../../lib/process/process-id.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { StandIn } from "../../support/cub/played-orchestrator.ts";
import { cubScene } from "../../support/cub/scene.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";

const own = readOwnProcess() as ProcessMark;
const coder = agentName("coder");
const never = new AbortController().signal;
const ending = { stop: never, kill: never };

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** A process beside this one, and how it is known. */
function begin(): { child: ChildProcess; mark: ProcessMark } {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  children.push(child);
  const id = identify(child.pid ?? 0);
  if (id === undefined) throw new Error("It has not begun.");
  return { child, mark: { ...own, ...id } };
}

async function ended(): Promise<ProcessMark> {
  const { child, mark } = begin();
  child.kill("SIGKILL");
  await once(child, "exit");
  return mark;
}

describe("that a process has ended", () => {
  const [one, other] = ["1", "2"].map((digit) => digit.repeat(64));
  const elsewhere = "pid:[1]";
  const rebooted = ({ born }: ProcessMark) => born.replace(/@.*/, "@another-start");

  test("is certain where its number is free, or another's by now", async () => {
    const { mark } = begin();
    expect(hasEnded(own, own)).toBe(false);
    expect(hasEnded(mark, own)).toBe(false);
    expect(hasEnded(await ended(), own)).toBe(true);
    expect(hasEnded({ ...mark, born: `0${mark.born}` }, own)).toBe(true);
  });

  test("is certain in the next life of its container, and not of one beside it in the same life", async () => {
    const { mark } = begin();
    const [before, now] = [
      { ...mark, container: one },
      { ...own, container: one },
    ];
    expect(hasEnded(before, now)).toBe(false);
    expect(hasEnded({ ...before, namespace: elsewhere }, now)).toBe(true);
    expect(hasEnded({ ...before, born: rebooted(mark) }, now)).toBe(true);
    expect(hasEnded({ ...(await ended()), container: one }, now)).toBe(true);
  });

  test("is not known of another container, of another space of numbers, or of another machine", async () => {
    const gone = await ended();
    expect(hasEnded({ ...gone, container: one }, { ...own, container: other })).toBe(false);
    expect(hasEnded({ ...gone, container: one }, own)).toBe(false);
    expect(hasEnded(gone, { ...own, container: one })).toBe(false);
    expect(hasEnded({ ...gone, namespace: elsewhere }, own)).toBe(false);
    expect(hasEnded({ ...gone, born: rebooted(gone) }, own)).toBe(false);
  });

  test("needs the container's id, which the engine's own mounts tell", () => {
    const mount = (root: string, point: string) => `758 741 254:1 ${root} ${point} rw,relatime - ext4 /dev/vda1 rw\n`;
    const docker = mount(`/var/lib/docker/containers/${one}/hostname`, "/etc/hostname");
    const podman = mount(`/overlay-containers/${other}/userdata/hostname`, "/etc/hostname");
    expect(containerIn(mount("/", "/") + docker)).toBe(one);
    expect(containerIn(podman)).toBe(other);
    expect(containerIn(mount(`/var/lib/docker/containers/${one}/hostname`, "/tmp/hostname"))).toBeUndefined();
    expect(containerIn(mount("/pods/1/etc-hosts", "/etc/hosts"))).toBeUndefined();
  });
});

describe("what was in hand", () => {
  const running = (agent: string, runBy?: ProcessMark): RunningGrant => {
    const at = new Date().toISOString();
    const begun = { queued_at: at, started_at: at, context_ids: [], state: "running" as const };
    return { agent: agentName(agent), phase: "exclusive", attempt: 1, ...(runBy && { run_by: runBy }), ...begun };
  };

  test("of a process that has ended is a Failure; of one that lives, of another agent, or of nobody that is known it stays", async () => {
    await using scene = await cubScene({ over: { ownProcess: own } });
    const { standIn, parts } = scene;
    const gone = await ended();
    const { mark: living } = begin();
    const begun = async (grant: RunningGrant): Promise<ClaimId> => {
      const claim = await standIn.openGranted(await standIn.post(), grant.agent);
      await standIn.board.acceptGrant({ claim, grant, leaseMs: 600_000 });
      return claim;
    };
    const lost = await begun(running("coder", gone));
    const left = [running("coder", living), running("coder", own), running("coder"), running("tester", gone)];
    const others = await Promise.all(left.map(async (grant) => [await begun(grant), grant] as const));
    await reportOwnLosses(parts, ending);
    const { state, artefact, grant } = await standIn.ended(lost, coder);
    expect(state).toBe("failed");
    const reason = "Agent coder was killed or crashed in the middle of its work, and was started again: attempt 1 is lost.";
    expect(artefact).toMatchObject({ structural_type: "Failure", type: "AttemptLost", metadata: { summary: reason } });
    expect(JSON.parse(artefact.payload)).toEqual({ reason, agent: "coder" });
    expect(grant).toMatchObject({ reason, failure_type: "AttemptLost", run_by: gone });
    for (const [claim, grant] of others) expect(await standIn.grantOf(claim, grant.agent)).toEqual(grant);
    // Once more finds nothing more.
    await reportOwnLosses(parts, ending);
    expect(scene.messages().filter((msg) => msg === "Created Failure artefact")).toHaveLength(1);
  });
});

describe("the program", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedisServer();
  });
  afterAll(async () => redis[Symbol.asyncDispose]());

  test("that is killed at its work reports the loss at its next start, and works on; a namesake that begins meanwhile says nothing", async () => {
    const instance = InstanceName.parse("killed");
    await using board = await connectBlackboard({ url: redis.url, instance, ...patient });
    const standIn = new StandIn(board);
    await standIn.begin(sampleAgent("coder"));
    // It outlives a cub that is killed.
    using folder = temporaryFolder();
    const command = ["/bin/sh", "-c", `while [ -d "${folder.path}" ]; do sleep 0.05; done`];
    const env = { SETT_INSTANCE_NAME: instance, SETT_AGENT_NAME: "coder", REDIS_URL: redis.url, SETT_GIT_DIR: "/nowhere" };
    const start = () => startCub({ ...env, SETT_AGENT_COMMAND: JSON.stringify(command) });
    await using first = start();
    const claim = await standIn.openGranted(await standIn.post(), coder);
    await first.said("Executing tool");
    await using namesake = start();
    // It has looked at what it finds before it takes anything up.
    const queued = await standIn.openGranted(await standIn.post(), coder);
    await namesake.said("Executing tool");
    expect((await standIn.grantOf(claim, coder))?.state).toBe("running");
    first.child.kill("SIGKILL");
    await first.ended();
    await using next = start();
    const { artefact } = await standIn.ended(claim, coder);
    expect(artefact).toMatchObject({ type: "AttemptLost", produced_by_agent: "coder" });
    const events = await board.readEvents("0", 1_000);
    // Nobody else is there to judge it.
    expect(events.find(({ type }) => type === "grant_failed")?.actor).toStartWith("agent:coder@");
    await next.said("Cub started");
    expect((await standIn.grantOf(queued, coder))?.state).toBe("running");
  });
});
