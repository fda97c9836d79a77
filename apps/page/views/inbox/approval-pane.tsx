// A result that waits for a person's verdict: its content and the diff of its commit beside the
// verdict.
import { lazy, Suspense, useRef, useState } from "react";
import { shortId } from "../../../../lib/words/short-id.ts";
import { useAction, useRight } from "../../components/action.tsx";
import { Content } from "../../components/artefact-content.tsx";
import { Overwritten } from "../../components/overwritten.tsx";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import { post } from "../../data/api.ts";
import type { Inquiry } from "../../data/contract.ts";
import { keptText } from "../../data/kept-texts.ts";
import { useQuery } from "../../data/query.ts";
import { goalHref } from "../../routes.ts";
import { Brief } from "./brief.tsx";
import { SendBox } from "./send-box.tsx";
import { useKeys } from "./use-keys.ts";

const CommitDiff = lazy(() =>
  import("../../components/commit-diff.tsx").then(({ CommitDiff: view }) => ({ default: view })),
);

const missingReason =
  "Nothing was rejected: write what must be better, which is what the agent works by.";

type Props = {
  inquiry: Extract<Inquiry, { kind: "approval" }>;
  done: (isSent: boolean) => void;
  close: () => void;
};

export function ApprovalPane({ inquiry, done, close }: Props) {
  const { artefact, content, goal_id, for: agent } = inquiry;
  const field = useRef<HTMLTextAreaElement>(null);
  const words = useRef("");
  const may = useRight("approve");
  const [verdict, setVerdict] = useState<"approve" | "reject">();
  const giving = useAction(() =>
    post(`/v1/artefacts/${artefact.id}/${verdict}`, { for: agent, reason: words.current }),
  );
  /** The first of two steps: no single key and no slip of a finger approves. */
  const begin = (next: "approve" | "reject") => () => {
    if (!may) return;
    setVerdict(next);
    requestAnimationFrame(() => field.current?.focus());
  };
  const give = async (text: string) => {
    words.current = text;
    done(await giving.run());
  };
  useKeys({ a: begin("approve"), r: begin("reject") });
  return (
    <article className="pane">
      <header>
        <button type="button" className="close" onClick={close}>
          <span aria-hidden="true">✕ </span>Close
        </button>
        <h2>
          Approve <Line text={artefact.type} max={60} />{" "}
          <span className="version">v{artefact.version}</span>?
        </h2>
        <Overwritten is={inquiry.overwritten === true} />
        <p>
          <Line text={artefact.metadata.summary ?? ""} max={400} />
        </p>
        <p className="quiet">
          by {artefact.produced_by_agent || artefact.produced_by_role} ·{" "}
          <a href={goalHref(goal_id, artefact.id)}>{shortId(artefact.id)}</a> · goal{" "}
          <a href={goalHref(goal_id)}>{shortId(goal_id)}</a> · you speak for {agent}
        </p>
      </header>
      <div className="verdict">
        <button
          type="button"
          className="primary"
          disabled={!may || giving.isBusy}
          aria-expanded={verdict === "approve"}
          onClick={begin("approve")}
        >
          <span aria-hidden="true">✓ </span>Approve…
        </button>
        <button
          type="button"
          className="danger-quiet"
          disabled={!may}
          aria-expanded={verdict === "reject"}
          onClick={begin("reject")}
        >
          <span aria-hidden="true">↺ </span>Reject…
        </button>
        {!may && <span className="quiet">Your token lacks the right approve.</span>}
      </div>
      {verdict !== undefined && (
        <SendBox
          key={verdict}
          label={verdict === "approve" ? "What you say with it (optional)" : "What must be better"}
          button={verdict === "approve" ? "Approve it" : "Reject"}
          right="approve"
          className={verdict === "approve" ? "primary" : "danger"}
          field={field}
          isBusy={giving.isBusy}
          error={giving.error}
          send={give}
          ifEmpty={verdict === "approve" ? undefined : missingReason}
        />
      )}
      <div className="pane-body">
        <div className="pane-change">
          {artefact.metadata.commit !== undefined && (
            <Suspense fallback={<p className="quiet loading">Loading the diff…</p>}>
              <h3>What it changes</h3>
              <CommitDiff artefact={artefact.id} version={artefact.version} />
            </Suspense>
          )}
          <h3>Content</h3>
          <ApprovalContent id={artefact.id} content={content} />
        </div>
        <Brief artefact={artefact.id} goal={goal_id} speaker={agent} />
      </div>
    </article>
  );
}

function ApprovalContent({
  id,
  content,
}: {
  id: string;
  content: { text: string; whole: boolean };
}) {
  const [isWanted, setIsWanted] = useState(false);
  const { data, error } = useQuery(isWanted ? `content ${id}` : undefined, (signal) =>
    keptText(`/v1/artefacts/${id}/content`, signal),
  );
  if (error !== undefined) return <Problem error={error} />;
  const text = data ?? content.text;
  return (
    <>
      {!content.whole && data === undefined && (
        <div className="long-text-bar">
          <span>The beginning of it.</span>
          <button
            type="button"
            className="small"
            disabled={isWanted}
            onClick={() => setIsWanted(true)}
          >
            Show all
          </button>
        </div>
      )}
      <Content key={text.length} text={text} />
    </>
  );
}
