// Finds what sett.lock lacks, or has otherwise, of the packages that a sett.yml names.
import { type LockedPackage, PackageRights } from "../model/package.ts";
import type { ConfigPath } from "./problems.ts";
import { agentsWithUse, type ReadPackages } from "./read-packages.ts";
import { lockFile, type SettLock } from "./sett-lock.ts";
import { type KnownPackage, rightLines, rightsOf } from "./with-packages.ts";

export type LockFinding = { path: ConfigPath; sentence: string };

/** `unlocked`: each is mended by the sett.lock that `sett add` and `sett up` write. */
export function lockFindings(
  text: string,
  { known, lock, problem }: ReadPackages,
): Record<"mistakes" | "unlocked", LockFinding[]> {
  const found = agentsWithUse(text).flatMap(({ name, use }) => {
    const one = known.get(use);
    const path = ["agents", name, "use"];
    return one === undefined || "problem" in one ? [] : [{ path, use, one }];
  });
  const [first] = found;
  if (problem !== undefined)
    return { mistakes: first ? [{ path: first.path, sentence: problem }] : [], unlocked: [] };
  const unlocked = found.flatMap(({ path, use, one }) => {
    const sentence = differenceOf(use, one, lock);
    return sentence === undefined ? [] : [{ path, sentence }];
  });
  return { mistakes: [], unlocked };
}

/**
 * The sett.lock for these packages alone: what is used no more leaves it. What it has of one that
 * cannot be read stays.
 */
export function lockOf({ known, lock }: ReadPackages): SettLock {
  return new Map(
    [...known].flatMap(([use, one]) => {
      const locked = lock.get(use);
      if ("problem" in one) return locked === undefined ? [] : [[use, locked] as const];
      return [[use, { ...locked, ...lockedPackage(one) }] as const];
    }),
  );
}

export function lockedPackage({ digest, file }: KnownPackage): LockedPackage {
  return { digest, asks: rightsOf(file) };
}

function differenceOf(
  use: string,
  { digest, file }: KnownPackage,
  lock: SettLock,
): string | undefined {
  const locked = lock.get(use);
  if (locked === undefined) return `is not in ${lockFile} yet`;
  const asks = rightsOf(file);
  if (locked.digest === digest && isSame(asks, locked.asks)) return undefined;
  const before = Object.values(rightLines(locked.asks));
  const more = Object.values(rightLines(asks)).filter(
    (line) => line !== undefined && !before.includes(line),
  );
  const asking =
    more.length === 0 ? "" : `, and asks for ${more.map((line) => `\`${line}\``).join(", ")}`;
  return `has changed since ${lockFile} was written${asking}`;
}

function isSame(one: PackageRights, other: PackageRights): boolean {
  return JSON.stringify(PackageRights.parse(one)) === JSON.stringify(PackageRights.parse(other));
}
