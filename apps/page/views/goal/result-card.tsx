// Shows what came of a goal that has ended, in the words of `sett forage --watch`, and the command
// that merges it.
import { useState } from "react";
import { resultRows } from "../../../../lib/words/result-sentence.ts";
import { textOf } from "../../../../lib/words/segment.ts";
import { Line } from "../../components/text.tsx";
import type { ResultView } from "../../data/contract.ts";

export function ResultCard({ result }: { result: ResultView }) {
  // How long it took, and whether it was reverted, is in the head.
  const rows = resultRows({ ...result, duration_ms: null, reverts: [] });
  if (rows.length === 0 && result.merge === null) return null;
  return (
    <section className="result-card" aria-label="What came of the goal">
      <dl>
        {rows.map(({ name, says }, at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>
              <Line text={textOf(says, (foreign) => foreign)} max={400} />
            </dd>
          </div>
        ))}
        {result.commits.map(({ artefact, ref }) => (
          <div key={artefact}>
            <dt>git</dt>
            <dd>
              <code>{ref}</code>
            </dd>
          </div>
        ))}
        {result.merge !== null && (
          <div>
            <dt>merge</dt>
            <dd>
              <code>{result.merge}</code> <CopyButton text={result.merge} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** A page over plain HTTP from another machine has no clipboard: then there is no button. */
function CopyButton({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      type="button"
      className="small"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
    >
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
