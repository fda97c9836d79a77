// Functions do not roll back. So a function asks for the type of each key, by reading it or by
// TYPE, before its first write: a person may have put a key of another type there, and then nothing
// at all is written.

/** They write and remove a key of any type. */
const ofAnyType = new Set(["SET", "DEL", "UNLINK", "EXPIRE", "EXISTS", "TYPE", "MEMORY", "TIME"]);

/** A goal that is removed in part is removed by the next call of the same. */
const inParts = /_removeOfGoal$/;

/** The commands of one call of `name`, one after the other. */
export class WholeWrites {
  readonly name: string;
  readonly #known = new Set<string>();
  #first: string | undefined;
  /** It lists what the call wrote without knowing whether it can. */
  problem: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  note(words: readonly string[], isWrite: boolean): void {
    const [command = "", ...rest] = words;
    const name = command.toUpperCase();
    if (name === "PUBLISH" || inParts.test(this.name)) return;
    const keys = name === "EXISTS" ? rest : rest.slice(name === "XINFO" ? 1 : 0).slice(0, 1);
    const unknown = keys.find((key) => !this.#known.has(key));
    if (this.#first !== undefined && unknown !== undefined && !ofAnyType.has(name))
      this.problem ??= `${this.name} does ${name} ${unknown} after ${this.#first}, and has not asked for its type before.`;
    for (const key of keys) this.#known.add(key);
    if (isWrite) this.#first ??= `${name} ${keys[0]}`;
  }
}
