import { openMemoryBench } from "./bench.ts";
import { blackboardSuite } from "./suite.ts";

blackboardSuite("the blackboard in memory", openMemoryBench);
