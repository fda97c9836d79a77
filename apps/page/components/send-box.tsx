// A text that is sent on record: with Ctrl Enter or the button. What is refused stays in the box.
import { type FormEvent, type KeyboardEvent, type Ref, useState } from "react";
import type { ApiError } from "../data/api.ts";
import type { Right } from "../data/contract.ts";
import { useRight } from "./action.tsx";
import { Problem } from "./problem.tsx";

export type SendBoxProps = {
  label: string;
  button: string;
  right: Right;
  field: Ref<HTMLTextAreaElement>;
  isBusy: boolean;
  error: ApiError | undefined;
  send: (text: string) => void;
  /** Said where nothing was written; undefined: nothing may be sent, too. */
  ifEmpty: string | undefined;
  className?: string;
  rows?: number;
};

export function SendBox({
  label,
  button,
  right,
  field,
  isBusy,
  error,
  send,
  ifEmpty,
  className = "primary",
  rows = 4,
}: SendBoxProps) {
  const [text, setText] = useState("");
  const [isRefused, setIsRefused] = useState(false);
  const may = useRight(right);
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!may || isBusy) return;
    const isMissing = text.trim() === "" && ifEmpty !== undefined;
    setIsRefused(isMissing);
    if (!isMissing) send(text.trim() === "" ? "" : text);
  };
  return (
    <form className="send-box" onSubmit={submit}>
      <label>
        {label}
        <textarea
          ref={field}
          rows={rows}
          value={text}
          aria-invalid={isRefused}
          onChange={({ target }) => {
            setText(target.value);
            setIsRefused(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      <div className="send-row">
        <button type="submit" className={className} disabled={!may || isBusy}>
          {button}
        </button>
        {!may && <span className="quiet">Your token lacks the right {right}.</span>}
      </div>
      {isRefused && (
        <p className="problem" role="alert">
          {ifEmpty}
        </p>
      )}
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}
