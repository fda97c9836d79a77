// The warning that an artefact is not what was stored: a person with a password of Redis has
// written over it.
export function Overwritten({ is }: { is: boolean }) {
  if (!is) return null;
  return (
    <div className="problem" role="alert">
      <p className="problem-what">
        <span aria-hidden="true">✕ </span>
        Overwritten by hand: this is not what was stored.
      </p>
    </div>
  );
}
