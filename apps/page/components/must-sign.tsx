// Where people sign what they decide, the page has the command in the place of the button.
import { useInstance } from "../data/instance.ts";

export function useMustSign(): boolean {
  return useInstance().data?.signatures_required === true;
}

export function MustSign({ commands }: { commands: readonly string[] }) {
  return (
    <div className="must-sign">
      <p>This needs your signature, which only the command line makes:</p>
      {commands.map((command) => (
        <p key={command}>
          <code>{command}</code>
        </p>
      ))}
    </div>
  );
}
