// Plans the container of a look at a grant: it gets the image of the agent's own plan, its cage and
// its way to hosts outside, and nothing that leads to the blackboard, to models, or to the commits
// of others. Pure.
import { labelsFor } from "../../../lib/runtime/labels.ts";
import type { ExaminationNames } from "../../../lib/runtime/names.ts";
import type { Need, PartPlan, PlannedPart, Translation } from "../../../lib/runtime/part-plan.ts";
import { storeFolder } from "../services/packs.ts";

/** `rerun`: its command runs again. `shell`: a person types. */
export type How = "rerun" | "shell";

const workspaceFolder = "/workspace";
const exchangeVariable = "SETT_EXCHANGE_DIR";
const examination = { component: "examination" } as const;

/** `withSecrets`: those of the agent. `packs`: the way to the service of packs, in place of its. */
type Own = { names: ExaminationNames; withSecrets: boolean; packs: Need };

export function examinationPlan(agent: PartPlan, own: Own): PartPlan {
  const { names, withSecrets } = own;
  const exchange = exchangeOf(agent.needs);
  const secrets = withSecrets ? [] : ["SETT_SECRETS", "SETT_SECRETS_DIR"];
  const env = Object.entries(agent.env).filter(([name]) => !secrets.includes(name));
  const { registration: _, ...plan } = agent;
  return {
    ...plan,
    ...("agent" in agent.labels && { besideAgent: agent.labels.agent }),
    name: names.container,
    labels: labelsFor(agent.labels, examination),
    env: {
      ...Object.fromEntries(env),
      ...(exchange !== undefined && { [exchangeVariable]: exchange }),
    },
    needs: [
      ...agent.needs.flatMap((need) => partOf(need, own)),
      // It publishes into a folder that goes with it.
      ...(exchange === undefined
        ? []
        : [{ kind: "shelf", name: names.results, of: examination, target: exchange } as const]),
    ],
  };
}

function exchangeOf(needs: readonly Need[]): string | undefined {
  return needs
    .flatMap((need) => (need.kind === "store" ? need.folders : []))
    .find(({ variable }) => variable === exchangeVariable)?.target;
}

function partOf(need: Need, { names, withSecrets, packs }: Own): Need[] {
  const shelf = (name: string, target: string) => [
    { kind: "shelf", name, of: examination, target } as const,
  ];
  switch (need.kind) {
    case "cub":
    case "tmpfs":
      return [need];
    case "volume":
      return withSecrets ? [need] : [];
    case "shelf":
      if (need.target === storeFolder) return shelf(names.store, need.target);
      return need.target === workspaceFolder ? shelf(names.workspace, need.target) : [];
    case "reach":
      if (need.door === "packs") return [packs];
      return need.door === "egress" ? [need] : [];
    case "store": {
      const folders = need.folders.filter(({ variable }) => variable === "SETT_OBJECTS_DIR");
      return [{ ...need, folders }];
    }
    default:
      return [];
  }
}

/** The container of such a plan, and the volumes that it needs. */
export function examinationPart(
  plan: PartPlan,
  how: How,
  translation: Pick<Translation, "parts">,
): PlannedPart {
  const [part] = translation.parts([plan]);
  if (part === undefined) throw new Error("An examination is a part.");
  const { spec, ...planned } = part.planned;
  const cub = spec.entrypoint ?? [];
  const entrypoint = [...cub, "--examine", how];
  const examining = { ...spec, entrypoint, healthcheck: "none", restart: "no" } as const;
  // Beside it runs the cub that the container has, and not one of an image of its own.
  return { ...planned, program: cub, spec: examining };
}
