import { resolve } from "node:path";
import { ResourceExhaustionError, type Clock, type SkeinError } from "../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import type { CliProcess } from "./processes/cli-process.ts";
import { measureFolders } from "./processes/measure-folders.ts";

/** What the watch over a turn works with. */
export interface ResourceWatch {
  readonly process: () => CliProcess | undefined;
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Told of the first limit that is passed. */
  readonly pass: (error: SkeinError) => void;
}

/** Something of the machine that a turn uses up. */
interface Resource {
  readonly name: "memory" | "processes" | "disk";
  readonly limit: number;
  readonly intervalMs: number;
  readonly measure: () => Promise<number>;
  readonly describe: (used: number, limit: number) => string;
  readonly hint: string;
}

/** Looks at what a turn takes of the machine, again and again, for each limit that is set. */
export function watchResources(options: ClaudeOptions, watch: ResourceWatch): void {
  for (const resource of [memory(options, watch), processes(options, watch), disk(options)]) {
    if (resource) void watchResource(resource, watch).then(watch.pass, () => undefined);
  }
}

async function watchResource(resource: Resource, { clock, signal }: ResourceWatch): Promise<SkeinError> {
  const { name, limit, intervalMs, measure, describe, hint } = resource;
  for (;;) {
    const startedAt = clock.now();
    const used = await measure();
    if (used > limit) return new ResourceExhaustionError(describe(used, limit), { resource: name, hint });
    // A look that takes long, at a large directory, is not what the machine is to be busy with.
    await clock.sleep(Math.max(intervalMs, 4 * (clock.now() - startedAt)), signal);
  }
}

function memory({ memoryLimitMb: limit }: ClaudeOptions, { process }: ResourceWatch): Resource | undefined {
  if (limit === undefined) return undefined;
  return {
    name: "memory",
    limit,
    intervalMs: 1000,
    measure: async () => ((await process()?.measureBytes()) ?? 0) / 1024 ** 2,
    describe: (used) => `The agent's processes use ${used.toFixed(0)} MB; ${limit} are allowed`,
    hint: "Raise memoryLimitMb, or ask for less at once; the session can be resumed.",
  };
}

function processes({ maxProcesses: limit }: ClaudeOptions, { process }: ResourceWatch): Resource | undefined {
  if (limit === undefined) return undefined;
  return {
    name: "processes",
    limit,
    // What doubles with every look has to be seen early.
    intervalMs: 100,
    measure: async () => (await process()?.countProcesses()) ?? 0,
    describe: (used) => `The agent has ${used} processes; ${limit} are allowed`,
    hint: "Raise maxProcesses if the work needs so many; the session can be resumed.",
  };
}

function disk(options: ClaudeOptions): Resource | undefined {
  const { maxDiskBytes: limit, cwd = ".", additionalDirectories = [], env = {} } = options;
  if (limit === undefined) return undefined;
  const given = [...additionalDirectories, env["HOME"], env["TMPDIR"]].filter((path) => path !== undefined);
  const folders = [resolve(cwd), ...given.map((path) => resolve(cwd, path))];
  const before = measureFolders(folders);
  return {
    name: "disk",
    limit,
    intervalMs: 250,
    measure: async () => (await measureFolders(folders)) - (await before),
    describe: (used) => `The turn has added ${used} bytes on the disk; ${limit} are allowed`,
    hint: "Raise maxDiskBytes, or remove what the agent does not need; the session can be resumed.",
  };
}
