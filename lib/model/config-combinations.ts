// Which settings of an agent exclude each other, or need each other.
import { AgentFile } from "./config.ts";

/** What has a meaning only where a container is started, or kept to a time. */
const withContainer = [
  ...[
    "build",
    "image",
    "path",
    "command",
    "bid_command",
    "replicas",
    "strategy",
    "workspace",
    "environment",
    "resources",
    "prompts",
  ],
  ...["timeout", "shutdown", "health_port"],
] as const;

/** A person judges what others made; that takes a role and rules. */
const ofPerson = new Set(["human", "role", "bids"]);

function impossibleForPerson(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const message = "has no meaning beside `human: true`: a person has only a `role`, and `bids` that say what they review";
  const surplus = Object.keys(AgentFile.in.shape).filter((key) => agent[key] !== undefined && !ofPerson.has(key));
  const words = wordsOf(agent.bids);
  const wrong = words.flatMap((word, index) =>
    word === "claim" || word === "exclusive"
      ? [
          {
            path: ["bids", index, "bid"],
            message: "must be `review` or `ignore`: a person (`human: true`) reviews and does no work",
          },
        ]
      : [],
  );
  const never = {
    path: ["bids"],
    message: "never says `review`, so this person would not be asked: `- { on: ReleasePlan, bid: review }`",
  };
  return [
    ...surplus.map((key) => ({ path: [key], message })),
    ...wrong,
    ...(wrong.length === 0 && !words.includes("review") ? [never] : []),
  ];
}

/** The word of each rule, as the file has them. */
function wordsOf(bids: unknown): unknown[] {
  return Array.isArray(bids) ? bids.map((rule: unknown) => Object(rule).bid) : [];
}

type Impossible = { path: (string | number)[]; message: string };

/**
 * What single fields cannot show. It takes an agent as the file has it, so that a combination is judged, too, where zod stops
 * because another field is wrong.
 */
export function impossibleCombinations(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const { external, human, command, replicas, strategy = "reuse" } = agent;
  if (human === true) return impossibleForPerson(agent);
  if (external === true) {
    const message = "has no meaning beside `external: true`: nothing is started for this agent, it takes part by hand";
    return withContainer.filter((key) => agent[key] !== undefined).map((key) => ({ path: [key], message }));
  }
  const found: Impossible[] = [];
  if (command === undefined && !isForModelAlone(agent)) {
    found.push({ path: ["command"], message: 'is missing: write `command: ["/app/run.sh"]`' });
  }
  const [source, ...more] = (["build", "image", "path"] as const).filter((key) => agent[key] !== undefined);
  if (source === undefined) {
    found.push({ path: [], message: "needs an image: write `build: ./folder`, `image: name:tag`, or `path: ./folder`" });
  }
  for (const key of more) found.push({ path: [key], message: `stands beside \`${source}\`: keep one of the two` });
  if (typeof replicas === "number" && replicas > 1 && strategy === "reuse") {
    found.push({ path: ["replicas"], message: "is more than 1, which needs `strategy: fresh_per_call`" });
  }
  return found;
}

/** Nothing but prompts says what it does: it wants no work before there is a model to read them, and so needs no command. */
function isForModelAlone({ prompts, bids = [], bid_command }: Readonly<Record<string, unknown>>): boolean {
  return Object(prompts).claim !== undefined && Array.isArray(bids) && bids.length === 0 && bid_command === undefined;
}
