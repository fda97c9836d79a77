// Asks the orchestrator for something at the command line: the log is followed also when Redis gets
// another port.
import type { Asker } from "../../../lib/client/actions/request.ts";
import type { Shell } from "../terminal/shell.ts";
import { followLog } from "./follow-log.ts";
import type { Session } from "./session.ts";

export function askerOf(shell: Shell, { board, place }: Session): Asker {
  return {
    board,
    suggest: shell.suggest,
    signal: shell.interrupted,
    follow: (from, visit, interrupted) =>
      followLog({ ...shell, interrupted }, place.instance, { from, visit }),
  };
}
