// A text that is sent on record: with Ctrl Enter or the button. What is refused stays in the box.
import { type FormEvent, type KeyboardEvent, type Ref, useState } from "react";
import { useRight } from "../../components/action.tsx";
import { Problem } from "../../components/problem.tsx";
import type { ApiError } from "../../data/api.ts";
import type { Right } from "../../data/contract.ts";

type Props = {
  label: string;
  button: string;
  right: Right;
  field: Ref<HTMLTextAreaElement>;
  isBusy: boolean;
  error: ApiError | undefined;
  send: (text: string) => void;
  className?: string;
};

export function SendBox({
  label,
  button,
  right,
  field,
  isBusy,
  error,
  send,
  className = "primary",
}: Props) {
  const [text, setText] = useState("");
  const may = useRight(right);
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (text.trim() !== "" && may && !isBusy) send(text);
  };
  return (
    <form className="send-box" onSubmit={submit}>
      <label>
        {label}
        <textarea
          ref={field}
          rows={4}
          value={text}
          required
          onChange={({ target }) => setText(target.value)}
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
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}
