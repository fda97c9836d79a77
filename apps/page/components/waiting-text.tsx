// Shows what a goal waits for, for how long and why, in the words of `sett status`.
import { textOf } from "../../../lib/words/segment.ts";
import { waitingSentence } from "../../../lib/words/waiting-sentence.ts";
import { useNow } from "../data/clock.ts";
import type { WaitingView } from "../data/contract.ts";
import { useInstance } from "../data/instance.ts";
import { Line } from "./text.tsx";

export function WaitingText({ waiting }: { waiting: WaitingView }) {
  const nowMs = useNow();
  const { data: instance } = useInstance();
  const facts = {
    nowMs,
    why: waiting.why,
    // Nothing is known to be wrong with it.
    isLed: instance?.orchestrator?.alive ?? instance === undefined,
    isPaused: instance?.paused != null,
    refusesWrites: instance?.redis?.problem != null,
    suggest: (command: string) => `sett ${command}`,
  };
  const text = textOf(waitingSentence(waiting, facts), (foreign) => foreign);
  return <Line text={text.replaceAll("`", "")} max={400} />;
}
