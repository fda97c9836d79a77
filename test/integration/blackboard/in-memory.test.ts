import { openInMemoryBench } from "../../support/blackboard/in-memory-bench.ts";
import { blackboardSuite } from "./suite.ts";

blackboardSuite("the blackboard on a small Redis in memory", openInMemoryBench);
