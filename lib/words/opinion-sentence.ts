// Says what one reviewer or check says of an artefact.
import { type Segment, say, type Tone, toned } from "./segment.ts";
import { shortId } from "./short-id.ts";

/** The part of an opinion that has words, as the record or the API gives it. */
export type SpokenOpinion = {
  about: string;
  type: string;
  version: number;
  agent: string;
  by: string;
  is_person: boolean;
  outcome: "passed" | "feedback" | "failed" | "open" | "waits";
  waits_for: readonly string[];
};

const tones: Readonly<Record<SpokenOpinion["outcome"], Tone>> = {
  passed: "good",
  feedback: "bad",
  failed: "bad",
  open: "wait",
  waits: "wait",
};

const verbs = { passed: "passed", feedback: "sent it back", failed: "failed" } as const;

/** `judged`: the artefact beside which it is said; what is about another one says so. */
export function opinionSentence(opinion: SpokenOpinion, judged: string): Segment[] {
  const { agent, by, is_person, outcome, waits_for, about, type, version } = opinion;
  const tone = tones[outcome];
  const isNamed = is_person && by !== agent;
  const who = isNamed ? say`${toned("strong", by)}, for ${agent},` : say`${toned("strong", agent)}`;
  const of = about === judged ? [] : say` (on ${type} ${shortId(about)}, version ${version})`;
  if (outcome === "open" && waits_for.length > 0)
    return say`${who} is asked, and ${toned(tone, "waits")} for ${waits_for.join(" or ")}${of}`;
  if (outcome === "open") return say`${who} is asked ${toned(tone, "and has not answered")}${of}`;
  if (outcome === "waits")
    return say`${who} ${toned(tone, "is asked")} once ${waits_for.join(" and ")} approved${of}`;
  const verb = outcome === "passed" && is_person ? "approved" : verbs[outcome];
  return say`${who} ${toned(tone, verb)}${of}`;
}
