// Prepares what the tests need to run an Engine without root: programs, and a user with a range of
// user ids.

import { canInstallPackages, ensurePrograms } from "./debian-packages.mjs";
import { attempt, say } from "./shell.mjs";

const user = "sett-rootless";

/** As root of a Debian; elsewhere one test is skipped. */
export function prepareRootlessEngine() {
  if (!canInstallPackages()) {
    return;
  }
  ensurePrograms({ rootlesskit: "rootlesskit", newuidmap: "uidmap", slirp4netns: "slirp4netns" });
  if (attempt("id", [user]).isSuccess) {
    return;
  }
  say(`adding the user ${user}, for the test of an Engine that runs without root`);
  const { isSuccess, stderr } = attempt("useradd", [
    "--system",
    "--add-subids-for-system",
    "--no-create-home",
    user,
  ]);
  if (!isSuccess) {
    say(`it could not be added: ${stderr}`);
  }
}
