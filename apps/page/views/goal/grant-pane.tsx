// Shows what an agent's command prints for one claim, as it comes, beside the goal.
import { useEffect, useRef } from "react";
import { LiveLog } from "../../components/live-log.tsx";
import { Line } from "../../components/text.tsx";
import { Elapsed } from "../../components/time.tsx";
import type { Grant } from "../../data/contract.ts";
import type { ArtefactNode, GoalGraph } from "../../data/goal-graph.ts";
import { SayToWork } from "./say-to-work.tsx";

/** `grant`: the claim and the agent, with a blank between them. */
type Props = {
  goal: string;
  grant: string;
  graph: GoalGraph;
  select: (artefact: string | undefined) => void;
  close: () => void;
};

export function GrantPane({ goal, grant: key, graph, select, close }: Props) {
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => pane.current?.focus({ preventScroll: true }), []);
  const [claim = "", agent = ""] = key.split(" ");
  const found = findGrant(graph, claim, agent);
  const target = found?.node;
  const grant = found?.grant;
  const [made] = grant !== undefined && "artefact_ids" in grant ? grant.artefact_ids : [];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from anywhere inside.
    <div
      ref={pane}
      tabIndex={-1}
      className="grant-pane"
      onKeyDown={({ key: pressed }) => pressed === "Escape" && close()}
    >
      <LiveLog
        name={agent}
        claim={claim}
        title={agent}
        none="Its command has printed nothing yet. Its answer on stdout becomes the artefact."
        close={close}
      />
      <p className="grant-about">
        {grant !== undefined && (
          <>
            {grant.phase}, {grant.state}
            {grant.state === "running" && (
              <>
                {" for "}
                <Elapsed since={grant.started_at} />
              </>
            )}
            {grant.attempt > 1 && `, attempt ${grant.attempt}`}{" "}
          </>
        )}
        {target !== undefined && (
          <button type="button" className="chip" onClick={() => select(target.id)}>
            on <Line text={target.type} max={40} /> v{target.version}
          </button>
        )}
        {made !== undefined && (
          <button type="button" className="chip" onClick={() => select(made)}>
            What came of it
          </button>
        )}
      </p>
      {grant?.state === "running" && <SayToWork goal={goal} claim={claim} />}
    </div>
  );
}

function findGrant(
  { nodes }: GoalGraph,
  claim: string,
  agent: string,
): { node: ArtefactNode; grant: Grant | undefined } | undefined {
  for (const node of nodes) {
    const found = node.claims.find(({ id }) => id === claim);
    if (found === undefined) continue;
    return { node, grant: found.grants.findLast((grant) => grant.agent === agent) };
  }
  return undefined;
}
