import { openProcessBench } from "./suite/bench.ts";
import { runtimeSuite } from "./suite.ts";

runtimeSuite("the runtime of processes", () => openProcessBench());
