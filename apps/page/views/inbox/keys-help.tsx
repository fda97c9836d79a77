// Says which keys act in the inbox.

const keys = [
  ["J", "next"],
  ["K", "previous"],
  ["R", "answer, or reject with a reason"],
  ["A", "approve"],
  ["Ctrl Enter", "send"],
  ["Esc", "close"],
] as const;

export function KeysHelp() {
  return (
    <details className="keys-help push-right">
      <summary>Keys</summary>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
