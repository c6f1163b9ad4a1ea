import { lstat, readdir } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { ResourceExhaustionError, type Clock, type SkeinError } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { CliProcess } from "../processes/cli-process.ts";

interface ResourceWatch {
  readonly process: () => CliProcess | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly pass: (error: SkeinError) => void;
}

interface Resource {
  readonly name: "memory" | "processes" | "disk";
  readonly limit: number;
  readonly intervalMs: number;
  readonly measure: () => Promise<number>;
  readonly describe: (used: number, limit: number) => string;
  /** What holds the limit, where that differs from machine to machine. */
  readonly limitedBy?: () => string | undefined;
  readonly hint: string;
}

export function watchResources(options: ClaudeOptions, watch: ResourceWatch): void {
  for (const resource of [memory(options, watch), processes(options, watch), disk(options, watch)]) {
    if (resource) void watchResource(resource, watch).then(watch.pass, () => undefined);
  }
}

/** Whether the kernel ended a process of the turn at its limit on memory, maybe the CLI itself, before anybody looked. */
export function findMemoryRunOut({ memoryLimitMb: limit }: ClaudeOptions, cli?: CliProcess): SkeinError | undefined {
  const limitedBy = cli?.ranOutOfMemoryBy();
  if (limit === undefined || limitedBy === undefined) return undefined;
  return new ResourceExhaustionError(describeMemory(limit, limit), {
    resource: "memory",
    limitedBy,
    hint: MEMORY_HINT,
  });
}

async function watchResource(resource: Resource, { clock, signal }: ResourceWatch): Promise<SkeinError> {
  const { name, limit, intervalMs, measure, describe, limitedBy, hint } = resource;
  for (;;) {
    const startedAt = clock.now();
    const used = await measure();
    const details = { resource: name, limitedBy: limitedBy?.(), hint };
    if (used > limit) return new ResourceExhaustionError(describe(used, limit), details);
    // A look that takes long, at a large directory, is not what the machine is to be busy with.
    await clock.sleep(Math.max(intervalMs, 4 * (clock.now() - startedAt)), signal);
  }
}

const BYTES_PER_MB = 1024 ** 2;

const MEMORY_HINT = "Raise `memoryLimitMb`, or ask for less at once; the session can be resumed.";

function describeMemory(used: number, limit: number): string {
  return `The agent's processes use ${used.toFixed(0)} MB; ${limit.toFixed(0)} are allowed`;
}

function memory({ memoryLimitMb: limit }: ClaudeOptions, { process }: ResourceWatch): Resource | undefined {
  if (limit === undefined) return undefined;
  let limitedBy: string | undefined;
  return {
    name: "memory",
    limit,
    intervalMs: 250,
    async measure() {
      const cli = process();
      if (!cli) return 0;
      limitedBy ??= await cli.limitMemory(limit * BYTES_PER_MB);
      // The kernel may have held the limit already, by ending one of them.
      if (cli.ranOutOfMemoryBy() !== undefined) return Number.POSITIVE_INFINITY;
      return ((await cli.measureBytes()) ?? 0) / BYTES_PER_MB;
    },
    describe: (used) => describeMemory(Number.isFinite(used) ? used : limit, limit),
    limitedBy: () => limitedBy,
    hint: MEMORY_HINT,
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
    hint: "Raise `maxProcesses` if the work needs that many; the session can be resumed.",
  };
}

function disk(options: ClaudeOptions, { process }: ResourceWatch): Resource | undefined {
  const { maxDiskBytes: limit, cwd = ".", additionalDirectories = [], env = {} } = options;
  if (limit === undefined) return undefined;
  const given = [...additionalDirectories, env["HOME"], env["TMPDIR"]].filter((path) => path !== undefined);
  const folders = [resolve(cwd), ...given.map((path) => resolve(cwd, path))];
  const before = measureFolders(folders);
  return {
    name: "disk",
    limit,
    intervalMs: 250,
    async measure() {
      const hidden = (await process()?.measureHiddenBytes()) ?? 0;
      return (await measureFolders(folders)) - (await before) + hidden;
    },
    describe: (used) => `The turn has added ${used} bytes on the disk; ${limit} are allowed`,
    hint: "Raise `maxDiskBytes`, or remove what the agent does not need; the session can be resumed.",
  };
}

/** What `blocks` counts, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

/** How many bytes folders take on the disk together; one that lies in another counts once, and what goes away meanwhile does not. */
async function measureFolders(folders: readonly string[]): Promise<number> {
  const outermost = folders.filter(
    (folder, index) =>
      folders.indexOf(folder) === index &&
      !folders.some((other) => other !== folder && folder.startsWith(other.endsWith(sep) ? other : other + sep)),
  );
  const sizes = await Promise.all(outermost.map(bytesAt));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function bytesAt(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return 0;
  let bytes = stats.blocks * BLOCK_BYTES;
  if (!stats.isDirectory()) return bytes;
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesAt(join(path, name));
  return bytes;
}
