// A service of an instance, as data. One file is one service, and `services.ts` lists them:
// names, plan, differences, order, logs and states of parts fold over that list.
import type { SettConfig } from "../../../lib/model/config.ts";
import type { ToolHeaders } from "../../../lib/model/config-tools.ts";
import type { ServiceName } from "../../../lib/model/services.ts";
import type { PartKind } from "../../../lib/runtime/labels.ts";
import type { PartPlan } from "../../../lib/runtime/part-plan.ts";
import type { PlanInput } from "./input.ts";

export type ServiceConfig = Pick<
  SettConfig,
  "agents" | "builtIn" | "limits" | "models" | "proof" | "services" | "triggers"
>;

/** It is made from this, beside its names, its image and its time to stop. */
export type ServicePlan = Omit<
  PartPlan,
  "name" | "labels" | "image" | "registration" | "stopTimeoutSeconds"
>;

/** Values that no description of a container may have, because others can read it. */
export type Values = {
  /** The providers' keys: model → key. */
  keys: Readonly<Record<string, string>>;
  /** The headers of MCP servers: server → headers. */
  toolHeaders: Readonly<Record<string, ToolHeaders>>;
  /** Agent → secret → value in base64. */
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The certificate of the API and its key, each in base64. `id`: a digest of both. */
  tls: { id: string; cert: string; key: string } | undefined;
  /** The secrets of webhooks in base64, by name. */
  hooks: Readonly<Record<string, string>>;
  /**
   * The tokens of forges in base64, by names of their own, and all secrets of agents, which must
   * not be in what is pushed. Undefined without forges.
   */
  forges: Readonly<Record<string, string>> | undefined;
};

/** `sett up` gives it to a running service through the standard input of its program. */
export type Gift = {
  /** The argument of the program that takes it, as JSON. */
  argument: `--put-${string}`;
  /** Undefined where there is nothing to give. */
  value: (values: Values) => object | undefined;
  /** The beginning of a sentence about a program that did not take it. */
  refusal: string;
  hint: string;
  /** It gets it at each `up`, also where it stays: the values may be others now. */
  isRenewed: boolean;
  /** It has lost it when an undo starts it again. */
  isInMemory: boolean;
  /** It does not begin to work without it. */
  isNeededToStart?: boolean;
  /** Only where the part has this variable. */
  variable?: string;
  /** A file that a part which sees this machine reads itself. */
  isFile?: boolean;
};

type Variables = Readonly<Record<string, string>>;

export type ServiceImage = "redis" | "orchestrator" | "gateway" | "api";

export type Service = {
  name: ServiceName;
  /** Which of the images it has. */
  image: ServiceImage | ((config: ServiceConfig) => ServiceImage);
  isNeeded: (config: ServiceConfig) => boolean;
  plan: (input: PlanInput) => ServicePlan;
  gifts?: readonly Gift[];
  /**
   * When it is ready: it answers commands of Redis, has acquired the leader lease, is announced on
   * the blackboard, answers its health check, or has what it is given.
   */
  ready: "connects" | "leads" | "announced" | "answers" | "given";
  /** `before-…`: the others wait for it. `last`: its users find an instance that works. */
  starts: "first" | "before-agents" | "before-orchestrator" | "any-time" | "last";
  stops: "first" | "with-agents" | "after-agents" | "last" | "after-fetch";
  stopSeconds: number;
  /**
   * The sign, when its container is missing, that there should be one: a variable of another part,
   * or a volume that stays.
   */
  sign: "always" | { variable: string } | { volume: PartKind["component"] };
  /**
   * It comes, changes and goes with the agents: where they do, what `sett up` says of them is
   * enough.
   */
  isOfAgents?: true;
  /**
   * Others than this machine may reach it, encrypted where it has the variable `certificate`, which
   * the setting in sett.yml gives it.
   */
  isOpenToOthers?: { certificate: string; setting: string };
  /**
   * It must know the public networks of this machine, and has them in a variable, as JSON. `why`: a
   * sentence about one that it does not know.
   */
  machineNetworks?: { variable: string; isNeeded: (variables: Variables) => boolean; why: string };
};

export function imageOf({ image }: Service, config: ServiceConfig): ServiceImage {
  return typeof image === "string" ? image : image(config);
}

export function defineService(service: Service): Service {
  return service;
}
