// Writes what a built-in agent does at a forge.
import { say, toned } from "./segment.ts";
import type { Facts, Sentence } from "./sentence.ts";

const deeds: Readonly<Record<string, { begins: string; done: string }>> = {
  push: { begins: "pushes the branch", done: "has pushed the branch" },
  open: { begins: "opens a pull request of", done: "has opened the pull request" },
  update: { begins: "updates the pull request", done: "has updated the pull request" },
  merge: { begins: "merges the pull request", done: "has merged the pull request" },
  status: { begins: "sets the status", done: "has set the status" },
  comment: { begins: "writes its comment on", done: "has written its comment on" },
};

export function forgeStep({ field, agent }: Facts): Pick<Sentence, "segments" | "weight"> {
  if (field("state") === "stops") {
    const isComment = field("step") === "comment";
    const words = isComment ? "keeps no comment on the issue" : "leaves it to a person";
    const segments = say`${toned("wait", words)}, for ${agent}: ${field("what")}`;
    return { segments, weight: "major" };
  }
  const { begins, done } = deeds[field("step")] ?? { begins: "begins", done: "has done" };
  const isDone = field("state") === "done";
  const segments = say`${isDone ? done : begins} ${field("what")}, for ${agent}`;
  const isMajor = isDone && !["status", "comment"].includes(field("step"));
  return { segments, weight: isMajor ? "major" : "minor" };
}
