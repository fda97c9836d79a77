// Removes the access control list that a folder gives to all that is made in it. No node: API does
// so.
import process from "node:process";

/**
 * Links are not followed. Where there is none, where it may not be removed or libc cannot be
 * reached, nothing changes. Never rejects.
 */
export async function removeDefaultAccess(folder: string): Promise<void> {
  if (process.platform !== "linux" || !("bun" in process.versions)) return;
  try {
    const { dlopen, FFIType } = await import("bun:ffi");
    const { cstring, i32 } = FFIType;
    const libc = dlopen("libc.so.6", { lremovexattr: { args: [cstring, cstring], returns: i32 } });
    libc.symbols.lremovexattr(zeroEnded(folder), zeroEnded("system.posix_acl_default"));
    libc.close();
  } catch {
    // Then it stays until a person removes it.
  }
}

function zeroEnded(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
