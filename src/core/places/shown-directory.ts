import { AsyncLocalStorage } from "node:async_hooks";
import { isInside } from "./paths.ts";
import {
  enterPrivate,
  findPrivate,
  hasEntered,
  startOf,
  type PrivateDirectory,
  type ShownDirectory,
  type StartedCommand,
} from "./private-directory.ts";

/** A directory that an agent sees by another path than this process does. */
export type SeenDirectory = PrivateDirectory & { readonly shown: ShownDirectory };

/** The directory that a path lies in, where agents see it by another path. */
export function findShown(path: string): SeenDirectory | undefined {
  const directory = findPrivate(path);
  return directory?.shown ? { ...directory, shown: directory.shown } : undefined;
}

/**
 * A command that belongs to an agent, as it has to be started: where its directory is shown at another path, it works there, and
 * what it is given names that path. Nothing enters twice.
 */
export function enterShown<Command extends StartedCommand>(command: Command): Command {
  const { cwd = "", args, env } = command;
  const directory = findShown(cwd);
  if (!directory) return enterPrivate(command);
  if (hasEntered(command, directory)) return command;
  const [program = "", ...entry] = directory.shown.entry;
  const place = directory.shown.inside + cwd.slice(startOf(cwd, directory).length);
  return {
    ...command,
    command: program,
    args: [...entry, `--wd=${place}`, "--", command.command, ...args.map((text) => toAgent(text, directory))],
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, toAgent(text, directory)])),
    cwd: "/",
  };
}

/** Whose paths are meant by what runs now in this process. */
const sight = new AsyncLocalStorage<SeenDirectory>();

/** Does some work for an agent in this process, such as judging a call: paths that it names are the agent's. */
export function inSightOf<Result>(directory: SeenDirectory, work: () => Result): Result {
  return sight.run(directory, work);
}

/** Where this process finds what an agent names: in its branch, while something is done for an agent that works in one. */
export function hostPath(path: string): string {
  const directory = sight.getStore();
  return directory ? hostPathIn(path, directory) : path;
}

/** A value with every path in it as this process has to write it. Only whole texts count, not what is said in one. */
export function toHost<Value>(value: Value, directory: SeenDirectory): Value {
  return mapTexts(value, (text) => hostPathIn(text, directory));
}

/** A value with every path in it as the agent knows it, also inside of a longer text. */
export function toAgent<Value>(value: Value, { path, view, shown }: SeenDirectory): Value {
  return mapTexts(value, (text) => text.replaceAll(view, () => shown.at).replaceAll(path, () => shown.at));
}

function hostPathIn(path: string, { view, shown }: SeenDirectory): string {
  if (!isInside(path, shown.at) || shown.kept.some((each) => isInside(path, each))) return path;
  return view + path.slice(shown.at.length);
}

function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, change)) as Value;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each as unknown, change)]),
  ) as Value;
}
