import { openProcessBench } from "./bench.ts";
import { runtimeSuite } from "./suite.ts";

runtimeSuite("the runtime of processes", () => openProcessBench());
