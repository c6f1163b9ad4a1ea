/** A directory that only the processes of a namespace see, or that an agent sees by another path. */
export interface PrivateDirectory {
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
  /** The command that runs another one in there. */
  readonly entry: readonly string[];
  /** Paths below `at` under which the files are those that everybody else sees, and cannot be written. */
  readonly kept: readonly string[];
}

/** A command that is about to be started. */
export interface StartedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Those of this process, by their paths. */
const open = new Map<string, PrivateDirectory>();

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

/**
 * The command as it has to be started: as it is, or among the processes that see the private directory that it works in or
 * names. In there the directory has its path, and the views that the command names are no way to it. Nothing enters twice.
 */
export function enterPrivate<Command extends StartedCommand>(command: Command): Command {
  const { cwd = "", args, env } = command;
  const texts = [cwd, ...args, ...Object.values(env)];
  const directory =
    findPrivate(cwd) ?? [...open.values()].find((each) => texts.some((text) => renamed(text, each) !== text));
  if (!directory || directory.entry.length === 0 || hasEntered(command, directory)) return command;
  const [program = "", ...entry] = directory.entry;
  const place = `--wd=${privateView(cwd) ?? directory.view}`;
  return {
    ...command,
    command: program,
    args: [...entry, place, "--", command.command, ...args.map((text) => renamed(text, directory))],
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, renamed(text, directory)])),
    cwd: "/",
  };
}

/** The private directory that a path lies in, by either of its names. */
export function findPrivate(path: string): PrivateDirectory | undefined {
  return [...open.values()].find((directory) => startOf(path, directory) !== "");
}

/** Whether a command begins by entering a directory already, one way or the other. */
export function hasEntered({ command, args }: StartedCommand, { entry, shown }: PrivateDirectory): boolean {
  const words = [command, ...args];
  return [entry, shown?.entry ?? []].some((way) => way.length > 0 && way.every((word, index) => words[index] === word));
}

/** By which of its names a path begins with a directory. */
export function startOf(path: string, { path: own, view }: PrivateDirectory): string {
  return [own, view].find((start) => path === start || path.startsWith(`${start}/`)) ?? "";
}

/** A text with the path in the place of the view. */
function renamed<Text extends string | undefined>(text: Text, { path, view }: PrivateDirectory): Text | string {
  if (text === undefined || !text.includes(view)) return text;
  return text.replaceAll(view, () => path);
}
