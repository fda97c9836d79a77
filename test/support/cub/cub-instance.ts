// An instance on a real Redis with one agent, whose cub runs as a process of its own.
import { randomUUID } from "node:crypto";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { agentName, sampleAgent } from "../records/sample.ts";
import type { RedisServer } from "../redis/redis-server.ts";
import { StandIn } from "./played-orchestrator.ts";

export const coder = agentName("coder");

/**
 * Says what the agent is beside its name, and what its cub finds in its environment beside what it
 * needs.
 */
type More = { agent?: Partial<AgentRegistration>; env?: Record<string, string> };

/** `env` is for `startCub`; the cub runs `script` with a shell for each grant. */
export async function cubInstance(redis: RedisServer, script: string, over: More = {}) {
  const instance = InstanceName.parse(`cub-${randomUUID().slice(0, 8)}`);
  const board = await connectBlackboard({
    url: redis.url,
    instance,
    timeoutMs: 60_000,
    giveUpMs: 60_000,
    onLost: () => undefined,
  });
  const standIn = new StandIn(board);
  await standIn.begin(sampleAgent("coder", over.agent));
  const env = {
    SETT_INSTANCE_NAME: instance,
    SETT_AGENT_NAME: coder,
    REDIS_URL: redis.url,
    SETT_AGENT_COMMAND: JSON.stringify(["/bin/sh", "-c", script]),
    SETT_OBJECTS_DIR: "/nowhere",
    ...over.env,
  };
  return {
    instance,
    board,
    standIn,
    env,
    [Symbol.asyncDispose]: async () => {
      await standIn[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
    },
  };
}

/** Answers every goal with `hello`. */
export const echo = `cat >/dev/null; echo '{"artefact_type":"EchoSuccess","artefact_payload":"hello","summary":"Said hello."}'`;
