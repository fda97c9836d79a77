// Advice to type a command names the same instance.

/**
 * Makes the whole command line from what follows `sett`; adds ` --name demo` where the person has
 * used that option.
 */
export type Suggest = (command: string) => string;

export function suggestFor(name: string | undefined): Suggest {
  const flag = name === undefined ? "" : ` --name ${name}`;
  return (command) => `sett ${command}${flag}`;
}
