// How far a git is, as it says itself: with `--progress` it writes on stderr what it counts.

/** `what`: in git's words, such as `Updating files`, `Writing objects`. */
export interface GitProgress {
  readonly what: string;
  readonly done: number;
  readonly of: number;
}

/** The git waits for a program of its person: a sentence. */
export interface GitWait {
  readonly waitsFor: string;
}

const counted = /([A-Z][a-z]+ [a-z]+): +\d+% \((\d+)\/(\d+)\)/g;

/** The newest count in a piece of stderr; undefined where there is none. */
export function progressIn(text: string): GitProgress | undefined {
  const [, what, done, of] = [...text.matchAll(counted)].at(-1) ?? [];
  return what === undefined ? undefined : { what, done: Number(done), of: Number(of) };
}
