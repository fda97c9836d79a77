// A result that waits for a person's verdict: its content and the diff of its commit beside the
// verdict.
import { lazy, Suspense, useRef, useState } from "react";
import { approvalsText } from "../../../../lib/words/approvals-text.ts";
import { shortId } from "../../../../lib/words/short-id.ts";
import { useAction, useRight } from "../../components/action.tsx";
import { Content } from "../../components/artefact-content.tsx";
import { MustSign, useMustSign } from "../../components/must-sign.tsx";
import { Overwritten } from "../../components/overwritten.tsx";
import { Problem } from "../../components/problem.tsx";
import { SendBox, type SendBoxProps } from "../../components/send-box.tsx";
import { Line } from "../../components/text.tsx";
import { post } from "../../data/api.ts";
import type { ArtefactHead, Inquiry } from "../../data/contract.ts";
import { useInstance } from "../../data/instance.ts";
import { keptText } from "../../data/kept-texts.ts";
import { go } from "../../data/place.ts";
import { useQuery } from "../../data/query.ts";
import { makerOf } from "../../graph/matching.ts";
import { goalHref } from "../../routes.ts";
import { Brief } from "./brief.tsx";
import { useKeys } from "./use-keys.ts";

const CommitDiff = lazy(() =>
  import("../../components/commit-diff.tsx").then(({ CommitDiff: view }) => ({ default: view })),
);

const missingVersion = "Nothing was posted: name the commit, or write the text, of your version.";
const missingReason =
  "Nothing was rejected: write what must be better, which is what the agent works by.";

type Choice = "approve" | "reject" | "version";

type Box = Pick<SendBoxProps, "label" | "button" | "right" | "ifEmpty" | "className" | "rows">;

const boxes: Readonly<Record<Exclude<Choice, "version">, Box>> = {
  approve: {
    label: "What you say with it (optional)",
    button: "Approve it",
    right: "approve",
    ifEmpty: undefined,
  },
  reject: {
    label: "What must be better",
    button: "Reject",
    right: "approve",
    className: "danger",
    ifEmpty: missingReason,
  },
};

function versionBox(isCommit: boolean): Box {
  const label = isCommit
    ? "The commit of your version: a branch, a tag, a hash"
    : "The text of your version";
  const rows = isCommit ? 1 : 8;
  return { label, rows, button: "Post it", right: "post", ifEmpty: missingVersion };
}

/** Resolves with the id of the new version. */
async function postVersion(
  { id, type, metadata }: Pick<ArtefactHead, "id" | "type" | "metadata">,
  text: string,
): Promise<string> {
  const content = metadata.commit === undefined ? { text } : { commit: text.trim() };
  const posted = await post<ArtefactHead>("/v1/artefacts", { type, ...content, version_of: id });
  return posted.id;
}

type Props = {
  inquiry: Extract<Inquiry, { kind: "approval" }>;
  done: (isSent: boolean) => void;
  close: () => void;
};

export function ApprovalPane({ inquiry, done, close }: Props) {
  const { artefact, content, goal_id, for: agent } = inquiry;
  const field = useRef<HTMLTextAreaElement>(null);
  const words = useRef("");
  const mustSign = useMustSign();
  const hasRight = useRight("approve");
  const speaks = useInstance().data?.me.judges_for.includes(agent) ?? false;
  const may = hasRight && speaks && !mustSign;
  const { not_counted: notCounted } = inquiry;
  const mayApprove = may && notCounted === undefined;
  const [verdict, setVerdict] = useState<Choice>();
  const mayPost = useRight("post");
  const isCommit = artefact.metadata.commit !== undefined;
  const giving = useAction(async () => {
    const reason = words.current;
    if (verdict !== "version")
      await post(`/v1/artefacts/${artefact.id}/${verdict}`, { for: agent, reason });
    else go(goalHref(goal_id, await postVersion(artefact, reason)));
  });
  /** The first of two steps: no single key and no slip of a finger approves. */
  const begin = (next: Choice) => () => {
    if (!{ version: mayPost, approve: mayApprove, reject: may }[next]) return;
    setVerdict(next);
    requestAnimationFrame(() => field.current?.focus());
  };
  const give = async (text: string) => {
    words.current = text;
    const isGiven = await giving.run();
    // It waits on where others have to approve, too.
    if (isGiven) setVerdict(undefined);
    if (verdict !== "version" || !isGiven) done(isGiven);
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
          by {makerOf(artefact)} ·{" "}
          <a href={goalHref(goal_id, artefact.id)}>{shortId(artefact.id)}</a> · goal{" "}
          <a href={goalHref(goal_id)}>{shortId(goal_id)}</a> · {speaks ? "you speak" : "waits"} for{" "}
          {agent}
        </p>
      </header>
      {inquiry.approvals !== undefined && (
        <p className="quiet" role="status">
          <Line text={approvalsText(inquiry.approvals)} max={400} />
          {waitsForText(inquiry.may_approve)}
        </p>
      )}
      {notCounted !== undefined && (
        <p>
          <Line text={notCounted} max={600} />
        </p>
      )}
      {mustSign && (
        <MustSign commands={commandsFor(artefact.id, agent, notCounted === undefined)} />
      )}
      <div className="verdict">
        {!mustSign && notCounted === undefined && (
          <button
            type="button"
            className="primary"
            disabled={!may || giving.isBusy}
            aria-expanded={verdict === "approve"}
            onClick={begin("approve")}
          >
            <span aria-hidden="true">✓ </span>Approve…
          </button>
        )}
        {!mustSign && (
          <button
            type="button"
            className="danger-quiet"
            disabled={!may}
            aria-expanded={verdict === "reject"}
            onClick={begin("reject")}
          >
            <span aria-hidden="true">↺ </span>Reject…
          </button>
        )}
        <button
          type="button"
          disabled={!mayPost || giving.isBusy}
          aria-expanded={verdict === "version"}
          title="Post what you have made of it yourself: it is reviewed like any other version"
          onClick={begin("version")}
        >
          Your own version…
        </button>
        {!may && !mustSign && <span className="quiet">{whyNot(hasRight, agent)}</span>}
      </div>
      {verdict !== undefined && (
        <SendBox
          key={verdict}
          {...(verdict === "version" ? versionBox(isCommit) : boxes[verdict])}
          field={field}
          isBusy={giving.isBusy}
          error={giving.error}
          send={give}
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

/** `mayApprove`: an approval would count. */
function commandsFor(id: string, agent: string, mayApprove: boolean): string[] {
  const of = `${shortId(id)} --for ${agent}`;
  const approve = mayApprove ? [`sett approve ${of} --sign`] : [];
  return [...approve, `sett reject ${of} --reason "…" --sign`];
}

function whyNot(hasRight: boolean, agent: string): string {
  return hasRight
    ? `You do not speak for ${agent}: people in sett.yml says who does.`
    : "Your token lacks the right approve.";
}

function waitsForText(names: readonly string[] = []): string {
  return names.length === 0 ? "" : `. It waits for ${names.join(" or ")}`;
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
