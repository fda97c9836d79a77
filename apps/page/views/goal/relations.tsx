// Shows from what an artefact was made, and what was made from it, as ways through the graph for
// mouse and keyboard.

import { shortId } from "../../../../lib/words/short-id.ts";
import { Line } from "../../components/text.tsx";
import type { ArtefactDetail } from "../../data/contract.ts";
import type { ArtefactNode, GoalGraph } from "../../data/goal-graph.ts";
import { lookOf } from "../../graph/look.ts";

type Props = { artefact: ArtefactDetail; graph: GoalGraph; select: (artefact: string) => void };

const maxShown = 12;

export function Relations({ artefact, graph, select }: Props) {
  const made = graph.nodes.filter(({ source_artefacts }) => source_artefacts.includes(artefact.id));
  return (
    <div className="relations">
      <Group title="Made from" ids={artefact.source_artefacts} graph={graph} select={select} />
      <Group title="Became" ids={made.map(({ id }) => id)} graph={graph} select={select} />
    </div>
  );
}

type GroupProps = {
  title: string;
  ids: readonly string[];
  graph: GoalGraph;
  select: (artefact: string) => void;
};

function Group({ title, ids, graph, select }: GroupProps) {
  if (ids.length === 0) return null;
  return (
    <div className="relation-group">
      <span className="quiet">{title}</span>
      <ul>
        {ids.slice(0, maxShown).map((id) => (
          <li key={id}>
            <Chip id={id} node={graph.byId.get(id)} select={select} />
          </li>
        ))}
        {ids.length > maxShown && <li className="quiet">and {ids.length - maxShown} more</li>}
      </ul>
    </div>
  );
}

export function Chip({
  id,
  node,
  select,
}: {
  id: string;
  node: ArtefactNode | undefined;
  select: (artefact: string) => void;
}) {
  const look = node && lookOf(node);
  return (
    <button
      type="button"
      className={`chip ${look === undefined ? "" : `tone-${look.tone}`}`}
      onClick={() => select(id)}
    >
      {look !== undefined && (
        <span className="row-symbol" aria-hidden="true">
          {look.symbol}
        </span>
      )}
      {node === undefined ? shortId(id) : <Line text={node.type} max={40} />}
      {node !== undefined && node.version > 1 && <span className="version">v{node.version}</span>}
    </button>
  );
}
