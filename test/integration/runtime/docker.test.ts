import { openDockerBench } from "./bench.ts";
import { runtimeSuite } from "./suite.ts";

runtimeSuite("the runtime on Docker", openDockerBench);
