import { describe, expect, test } from "bun:test";
import {
  cassettesOf,
  cassettesSentence,
  gatewayProblem,
  gatewaySentence,
  recordingOf,
} from "../../../../../apps/cli/facts/gateway-state.ts";
import { howItRuns } from "../../../../../apps/cli/instance/parts.ts";
import type { GatewayNotice } from "../../../../../lib/blackboard/port/models.ts";
import type {
  ContainerPart,
  ContainerState,
  InstanceParts,
} from "../../../../../lib/runtime/port.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";

const settings = JSON.stringify({ strong: { needs_key: true }, local: { needs_key: false } });
const running: ContainerState = { state: "running", startedAt: "", health: "none" };

function notice(hasKey: boolean): GatewayNotice {
  const model = { provider: "openai", model: "m", is_priced: true };
  const models = { strong: { ...model, has_key: hasKey }, local: { ...model, has_key: false } };
  return { started_at: "", goal_budget: {}, agents: {}, models };
}

/** `state`: of the gateway's container; undefined: there is none. */
function parts(state: ContainerState | undefined): InstanceParts {
  const whole = instanceParts("demo", "/home/ada/doors", "containers");
  const containers = whole.containers.map((part): ContainerPart => {
    return part.labels.component === "agent"
      ? { ...part, env: { SETT_GATEWAY_URL: "http://gateway:8080" } }
      : part;
  });
  const [first] = whole.containers;
  if (state === undefined || first === undefined) return { ...whole, containers };
  const labels = {
    instance: whole.instance,
    workspace: "",
    version: "1",
    component: "gateway",
  } as const;
  return {
    ...whole,
    containers: [...containers, { ...first, labels, state, env: { SETT_MODELS: settings } }],
  };
}

const problemWith = ({ containers }: InstanceParts, hasKey: boolean) =>
  gatewayProblem(containers, { readGateway: async () => notice(hasKey) });

describe("the gateway of an instance", () => {
  test("lacks the keys that its announcement says, of models that need one", async () => {
    expect(await problemWith(parts(running), true)).toBeUndefined();
    const problem = await problemWith(parts(running), false);
    expect(problem).toEqual({ problem: "keys-missing", models: ["strong"] });
    expect(problem && gatewaySentence(problem, "sett up")).toBe(
      "The gateway does not have the key of the model strong: a restart of its container clears its memory. `sett up` gives it the keys again.",
    );
  });

  test("is missed where it does not run, and an agent knows its address", async () => {
    expect(await problemWith(parts(undefined), true)).toEqual({ problem: "stopped" });
    expect(await problemWith(parts({ state: "exited", exitCode: 1, endedAt: "" }), true)).toEqual({
      problem: "stopped",
    });
    expect(howItRuns(parts(undefined))).toBe("3 of 4 running");
    expect(howItRuns(parts(running))).toBe("running");
  });

  test("says where it writes recorded calls, and from where it replays them", () => {
    const folder = "/home/ada/doors/calls";
    const partsWith = (mode: string) => {
      const env = { SETT_CASSETTE_MODE: mode, SETT_CASSETTE_SOURCE: folder };
      return parts(running).containers.map((part) => ({
        ...part,
        env: part.labels.component === "gateway" ? env : part.env,
      }));
    };
    expect([recordingOf(partsWith("record")), recordingOf(partsWith("replay"))]).toEqual([
      folder,
      undefined,
    ]);
    const sentenceWith = (mode: string) => {
      const cassettes = cassettesOf(partsWith(mode));
      return cassettes && cassettesSentence(cassettes);
    };
    expect(sentenceWith("replay")).toBe(
      `A replay: calls of models are answered from ${folder}, and no provider is asked.`,
    );
    expect(sentenceWith("record")).toBe(`Each exchange with a model is recorded in ${folder}.`);
    expect(cassettesOf(parts(running).containers)).toBeUndefined();
  });

  test("is not missed where no agent has a model", async () => {
    const plain = instanceParts("demo", "/home/ada/doors", "containers");
    expect(await problemWith(plain, false)).toBeUndefined();
    expect(howItRuns(plain)).toBe("running");
  });
});
