// What is suggested to be typed next reaches the same instance.

/** From the words after `sett` to the whole command, with ` --name demo` where the person has named the instance so. */
export type Suggest = (words: string) => string;

export function suggestFor(name: string | undefined): Suggest {
  const flag = name === undefined ? "" : ` --name ${name}`;
  return (words) => `sett ${words}${flag}`;
}
