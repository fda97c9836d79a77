// Says where this repository is.
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");
