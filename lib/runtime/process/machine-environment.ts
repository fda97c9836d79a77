// The variables that every process gets from this machine, as a container gets those of its image.

/**
 * Programs need these to run at all. The rest of a user's environment may hold secrets: a process
 * gets more of it only by name.
 */
const forEveryProcess = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR)$/;

export function machineEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries.filter(([name]) => forEveryProcess.test(name)));
}
