// A default access control list, as an agent could set one on a folder before its calls were
// limited.
import { dlopen } from "bun:ffi";

const text = "cstring" as const;
const zeroEnded = (value: string) => Buffer.from(`${value}\0`);
/** The owner, the group and all others may do nothing with new files. */
const nothing = Buffer.from("0200000001000000ffffffff04000000ffffffff20000000ffffffff", "hex");

/** False where the file system has no such lists, or this user may not set them. */
export function denyNewFiles(folder: string): boolean {
  const { symbols, close } = dlopen("libc.so.6", {
    setxattr: { args: [text, text, "ptr", "u64", "i32"], returns: "i32" },
  });
  try {
    return (
      symbols.setxattr(
        zeroEnded(folder),
        zeroEnded("system.posix_acl_default"),
        nothing,
        nothing.length,
        0,
      ) === 0
    );
  } finally {
    close();
  }
}
