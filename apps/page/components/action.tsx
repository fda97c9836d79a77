// A button that writes: it is busy until the answer is there, and says what was refused. Where the
// token has no right to it, it says so.
import { type ReactNode, useState } from "react";
import type { ApiError } from "../data/api.ts";
import type { Right } from "../data/contract.ts";
import { useInstance } from "../data/instance.ts";
import { asApiError } from "../data/query.ts";
import { Problem } from "./problem.tsx";

type Props = {
  right: Right;
  act: () => Promise<unknown>;
  children: ReactNode;
  className?: string;
  /** Asked before it is done. */
  confirm?: string;
};

export function Action({ right, act, children, className = "", confirm }: Props) {
  const { isBusy, error, run } = useAction(act);
  const [isAsking, setIsAsking] = useState(false);
  const may = useRight(right);
  const reason = may ? undefined : `Your token may not do this: it lacks the right \`${right}\`.`;
  return (
    <span className="action">
      {isAsking ? (
        <fieldset className="confirm">
          <legend className="hidden">{confirm}</legend>
          <span>{confirm}</span>
          <button
            type="button"
            className="danger"
            // biome-ignore lint/a11y/noAutofocus: the button takes the place of the one that was pressed.
            autoFocus
            onClick={() => {
              setIsAsking(false);
              void run();
            }}
          >
            Yes
          </button>
          <button type="button" onClick={() => setIsAsking(false)}>
            No
          </button>
        </fieldset>
      ) : (
        <button
          type="button"
          className={className}
          disabled={!may || isBusy}
          title={reason}
          onClick={() => (confirm === undefined ? void run() : setIsAsking(true))}
        >
          {children}
        </button>
      )}
      {error !== undefined && <Problem error={error} />}
    </span>
  );
}

export function useAction(act: () => Promise<unknown>) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = async (): Promise<boolean> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (refused) {
      setError(asApiError(refused));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, run, clear: () => setError(undefined) };
}

export function useRight(right: Right): boolean {
  return useInstance().data?.me.rights.includes(right) ?? false;
}
