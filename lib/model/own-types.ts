// The names of types that are Sett's own: what it does, and what people do, depends on them. No agent may use one, or a name that people
// would take for one. The names of the structural types are everybody's.
import { goalFeedbackType, goalType, type StructuralType } from "./artefact.ts";
import { budgetExceededType } from "./model-call.ts";
import { toolFailureType } from "./tool-contract.ts";

/** The type of the Failure for an attempt whose agent has stopped renewing its lease, or whose worker has ended. */
export const attemptLostType = "AttemptLost";

/** The types of the Failures for work not begun: the agent is not registered any more, or has given no sign of life for too long. */
export const agentRemovedType = "AgentRemoved";
export const agentSilentType = "AgentSilent";

/** The type of the built-in worker's Failure when the provider or the gateway refuses a call, or cannot be reached. */
export const callFailedType = "ModelCallFailed";

/** The type of the built-in worker's Failure for a model that ends its work without a result: prose, too many steps, no time left. */
export const noResultType = "ModelGaveNoResult";

/** The types of the orchestrator's other Failures: it cannot go on with an artefact, a thread or a goal. */
export const artefactUnreadableType = "ArtefactUnreadable";
export const reviewRoundsExceededType = "ReviewRoundsExceeded";
export const producerGoneType = "ProducerGone";
export const artefactLimitExceededType = "ArtefactLimitExceeded";

const ownTypes: readonly string[] = [
  goalType,
  goalFeedbackType,
  budgetExceededType,
  toolFailureType,
  attemptLostType,
  agentRemovedType,
  agentSilentType,
  callFailedType,
  noResultType,
  artefactUnreadableType,
  reviewRoundsExceededType,
  producerGoneType,
  artefactLimitExceededType,
];

type Typed = { structural_type: StructuralType; type: string };

const bySource = {
  /** What an agent's own command may print. */
  command: {},
  /** What Sett's own worker, which is a command too, may print. */
  worker: { Failure: [budgetExceededType, callFailedType, noResultType], Question: [budgetExceededType] },
  /** What a cub may send: what its command has printed, or what the cub says of the command's end. */
  agent: {
    Failure: [toolFailureType, attemptLostType, budgetExceededType, callFailedType, noResultType],
    Question: [budgetExceededType],
  },
} as const satisfies Record<string, Partial<Record<StructuralType, readonly string[]>>>;
export type TypeSource = keyof typeof bySource;

/** The type of Sett's own that this source may not use, or whose look it has; undefined where there is none. */
export function forbiddenOwnType({ structural_type, type }: Typed, source: TypeSource): string | undefined {
  const allowed: Partial<Record<StructuralType, readonly string[]>> = bySource[source];
  if (allowed[structural_type]?.includes(type) === true) return undefined;
  return ownTypes.find((own) => looksLike(type, own));
}

/** Names it in a sentence. The type itself is not quoted: a reader would see no difference. */
export function namedOwnType(type: string, own: string): string {
  return type === own ? `the type ${own}, which is Sett's own` : `a type that looks like ${own}, which is Sett's own`;
}

/**
 * Whether people may take the one for the other. Case, width, marks, invisible characters, spaces and punctuation do not count, nor does a
 * letter of another script that is drawn like one of ASCII. Where at least half of the letters are right, the foreign ones count as any: no
 * list of look-alikes is complete.
 */
function looksLike(type: string, own: string): boolean {
  const wanted = skeleton(own);
  // These signs are punctuation, or stand for a letter.
  const asLetters = type.replaceAll(/[|!]/g, "l").replaceAll("$", "s");
  return [type, asLetters].some((text) => isAlike(skeleton(text), wanted));
}

function isAlike(given: string, wanted: string): boolean {
  if (given === wanted) return true;
  const [letters, expected] = [[...given], [...wanted]];
  if (letters.length !== expected.length) return false;
  const same = letters.filter((letter, index) => letter === expected[index]);
  const foreign = letters.filter((letter) => letter > "\x7f");
  return same.length + foreign.length === letters.length && same.length >= foreign.length;
}

/** Letters that are drawn like those of ASCII in the common fonts, in lower case, by the letter that they look like. */
const drawnAs: Readonly<Record<string, string>> = {
  a: "аαɑᴀꭺ",
  b: "вьβƅʙᏼ",
  c: "сϲᴄⅽꮯ",
  d: "ԁɗꓒᴅđժꭰ",
  e: "еҽεєᴇꬲɛꭼ",
  f: "ƒꜰϝքꬵ",
  g: "ɡցԍɢ",
  h: "һнհʜη",
  j: "јϳᴊ",
  k: "кκᴋ",
  l: "іıιӏɩլɪʟǀ1iͺⅼ",
  m: "мᴍμ",
  n: "пηոռɴ",
  o: "оοσօøᴏ0ө",
  p: "рρᴘ",
  q: "ԛզգ",
  r: "гʀᴦ",
  s: "ѕꜱƽ5",
  t: "тτᴛ",
  u: "υսᴜц",
  v: "ѵνᴠט",
  w: "ԝωᴡա",
  x: "хχ×",
  y: "уүγʏყ",
  z: "ᴢʐ2",
};

const asciiOf = new Map(Object.entries(drawnAs).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii])));

function skeleton(type: string): string {
  const plain = type.normalize("NFKD").toLowerCase().normalize("NFKD");
  const letters = [...plain].map((letter) => asciiOf.get(letter) ?? letter).join("");
  // Two letters that are drawn like one.
  return letters
    .replace(/\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}]/gu, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d");
}
