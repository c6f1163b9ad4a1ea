import { AsyncLocalStorage } from "node:async_hooks";
import { onceInProcess } from "../in-process.ts";
import { isInside } from "./paths.ts";

/** A directory that only the processes of a namespace see, or that an agent sees by another path. */
interface PrivateDirectory {
  /** Its path for those processes; for everybody else that is an empty folder, unless there is nothing to enter. */
  readonly path: string;
  /** The way by which this process reads and writes it. It is no name: resolving it gives the path, which leads elsewhere. */
  readonly view: string;
  /** The command that runs another one among those processes; empty where everybody sees the directory. */
  readonly entry: readonly string[];
  /** How an agent and its commands see it, where that is by another path. */
  readonly shown?: ShownDirectory | undefined;
}

/** Another path of a directory, in a namespace of its own. */
export interface ShownDirectory {
  /** The path that it has in there; for everybody else other files lie there. */
  readonly at: string;
  /** The way by which this process names it as the place to start a command in. */
  readonly inside: string;
  readonly entry: readonly string[];
  /** Paths below `at` under which the files are those that everybody else sees, and cannot be written. */
  readonly kept: readonly string[];
}

/** A directory that an agent sees by another path than this process does. */
export type SeenDirectory = PrivateDirectory & { readonly shown: ShownDirectory };

interface StartedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const open = onceInProcess("private-directories", () => new Map<string, PrivateDirectory>());

/** Has every command that this process starts in a private directory enter it, until that is disposed of. */
export function usePrivateDirectory(directory: PrivateDirectory): Disposable {
  open.set(directory.path, directory);
  return { [Symbol.dispose]: () => void open.delete(directory.path) };
}

/** The way to a path for this process's own reads and writes, where it lies in a private directory; undefined elsewhere. */
export function privateView(path: string): string | undefined {
  const found = findPrivate(path);
  return found && found.view + path.slice(startOf(path, found).length);
}

/** The command as it has to be started: among the processes that see the private directory that it works in or names. Nothing enters twice. */
export function enterPrivate<Command extends StartedCommand>(command: Command): Command {
  const { cwd = "", args, env } = command;
  const texts = [cwd, ...args, ...Object.values(env)];
  const directory =
    findPrivate(cwd) ?? [...open.values()].find(({ view }) => texts.some((text) => text?.includes(view)));
  if (!directory || directory.entry.length === 0) return command;
  const { entry, path, view } = directory;
  const place = privateView(cwd) ?? view;
  return enter(command, directory, { entry, place, rename: (text) => text.replaceAll(view, () => path) });
}

/** An agent's command as it has to be started: where its directory is shown at another path, it works there, and is told that path. */
export function enterShown<Command extends StartedCommand>(command: Command): Command {
  const { cwd = "" } = command;
  const directory = findShown(cwd);
  if (!directory) return enterPrivate(command);
  const { entry, inside } = directory.shown;
  const place = inside + cwd.slice(startOf(cwd, directory).length);
  return enter(command, directory, { entry, place, rename: (text) => toAgent(text, directory) });
}

/** The directory that a path lies in, where agents see it by another path. */
export function findShown(path: string): SeenDirectory | undefined {
  const directory = findPrivate(path);
  return directory?.shown ? { ...directory, shown: directory.shown } : undefined;
}

/** `place` is where the command works, as this process names it; `rename` makes a text name the directory as it is named in there. */
function enter<Command extends StartedCommand>(
  given: Command,
  directory: PrivateDirectory,
  way: { readonly entry: readonly string[]; readonly place: string; rename(text: string): string },
): Command {
  const { command, args, env } = given;
  const isIn = (entry: readonly string[] = []): boolean =>
    entry.length > 0 && entry.every((word, index) => [command, ...args][index] === word);
  if (isIn(directory.entry) || isIn(directory.shown?.entry)) return given;
  const [program = "", ...entry] = way.entry;
  return {
    ...given,
    command: program,
    args: [...entry, `--wd=${way.place}`, "--", command, ...args.map(way.rename)],
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, text && way.rename(text)])),
    cwd: "/",
  };
}

function findPrivate(path: string): PrivateDirectory | undefined {
  return [...open.values()].find((directory) => startOf(path, directory) !== "");
}

function startOf(path: string, { path: own, view }: PrivateDirectory): string {
  return [own, view].find((start) => path === start || path.startsWith(`${start}/`)) ?? "";
}

/** The agent whose paths are meant by what runs now in this process. */
const sight = onceInProcess("sight", () => new AsyncLocalStorage<SeenDirectory>());

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
  const entries = Object.entries(value).map(([name, each]) => [name, mapTexts(each as unknown, change)]);
  return Object.fromEntries(entries) as Value;
}
