import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ownValue, SkeinError } from "../../core/index.ts";
import { directScenario } from "./direct.ts";
import { checkScenario } from "./scenario-schema.ts";
import type { Scenario } from "./scenario.ts";
import { todoScenario } from "./todo.ts";

/** Finds a scenario: one that is built in, a JSON file, or a JavaScript module that exports `scenario`. */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  const builtIn = ownValue(BUILT_IN_SCENARIOS, nameOrPath);
  if (builtIn) return builtIn;
  if (/\.m?js$/.test(nameOrPath)) return checkScenario(await importScenario(nameOrPath), nameOrPath);
  return checkScenario(parseScenario(await readScenario(nameOrPath), nameOrPath), nameOrPath);
}

async function readScenario(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw notFound(path, error);
  }
}

function parseScenario(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SkeinError(`The scenario ${path} is not JSON: ${(error as Error).message}`, {
      kind: "parse",
      target: path,
      cause: error,
    });
  }
}

async function importScenario(path: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as { readonly scenario?: unknown };
    return module.scenario;
  } catch (error) {
    throw notFound(path, error);
  }
}

function notFound(path: string, cause: unknown): SkeinError {
  return new SkeinError(`Cannot read the scenario ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    kind: "filesystem",
    target: path,
    hint: `Give the path of a scenario file, or one of ${Object.keys(BUILT_IN_SCENARIOS).join(", ")}.`,
    cause,
  });
}

/** The scenarios that come with Skein, by name. */
export const BUILT_IN_SCENARIOS: Readonly<Record<string, Scenario>> = { todo: todoScenario, direct: directScenario };
