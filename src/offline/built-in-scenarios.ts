import type { Scenario } from "./scenario.ts";
import { directScenario } from "./scenarios/direct.ts";
import { todoScenario } from "./scenarios/todo.ts";

/** The scenarios that come with Skein, by name. */
export const BUILT_IN_SCENARIOS: Readonly<Record<string, Scenario>> = { todo: todoScenario, direct: directScenario };
