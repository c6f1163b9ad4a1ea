import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf, ownValue, SkeinError } from "../../core/internal.ts";
import { directScenario } from "./direct.ts";
import { checkScenario, type Scenario } from "./scenario.ts";
import { teamScenario } from "./team.ts";
import { todoScenario } from "./todo.ts";

/** Finds a scenario: one that is built in, a JSON file, or a JavaScript module that exports `scenario`. */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  return ownValue(BUILT_IN_SCENARIOS, nameOrPath) ?? checkScenario(await readScenario(nameOrPath), nameOrPath);
}

async function readScenario(path: string): Promise<unknown> {
  const isModule = /\.m?js$/.test(path);
  try {
    if (!isModule) return JSON.parse(await readFile(path, "utf8"));
    return ((await import(pathToFileURL(resolve(path)).href)) as { readonly scenario?: unknown }).scenario;
  } catch (cause) {
    const reason = messageOf(cause);
    const options = { target: path, cause };
    if (cause instanceof SyntaxError && !isModule) {
      throw new SkeinError(`The scenario ${path} is not JSON: ${reason}`, { ...options, kind: "parse" });
    }
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new SkeinError(isMissing ? `There is no scenario ${path}` : `Cannot read the scenario ${path}: ${reason}`, {
      ...options,
      kind: "filesystem",
      hint: `Give the path of a scenario file, or one of ${Object.keys(BUILT_IN_SCENARIOS).join(", ")}.`,
    });
  }
}

/** The scenarios that come with Skein, by name. */
export const BUILT_IN_SCENARIOS: Readonly<Record<string, Scenario>> = {
  todo: todoScenario,
  team: teamScenario,
  direct: directScenario,
};
