// A person's words to work that is under way: on a goal, or on one claim of it.
import { useEffect, useRef, useState } from "react";
import { useAction } from "../../components/action.tsx";
import { SendBox } from "../../components/send-box.tsx";
import { post } from "../../data/api.ts";

/** `claim`: only the work on it hears them. */
type Props = { goal: string; claim?: string };

export function SayToWork({ goal, claim }: Props) {
  const [state, setState] = useState<"closed" | "open" | "said">("closed");
  const field = useRef<HTMLTextAreaElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (state === "open") field.current?.focus();
    if (state === "said") opener.current?.focus();
  }, [state]);
  const said = useRef("");
  const { isBusy, error, run } = useAction(() =>
    post(`/v1/goals/${goal}/tell`, { text: said.current, ...(claim !== undefined && { claim }) }),
  );
  const send = async (text: string) => {
    said.current = text;
    if (await run()) setState("said");
  };
  if (state !== "open")
    return (
      <span className="action">
        <button ref={opener} type="button" onClick={() => setState("open")}>
          Say something to the work
        </button>
        {state === "said" && (
          <span className="quiet" role="status">
            Said. It is on record, and among the inputs of the work that begins from now on.
          </span>
        )}
      </span>
    );
  return (
    <div className="say-to-work">
      <SendBox
        label={claim === undefined ? "To all work on this goal" : "To the work on this claim alone"}
        button="Say it"
        right="answer"
        ifEmpty="Write what the work should know."
        rows={3}
        {...{ field, isBusy, error, send }}
      />
      <button type="button" className="small" onClick={() => setState("closed")}>
        Close
      </button>
    </div>
  );
}
