import { isAbsolute } from "node:path";
import { z } from "zod";
import { parseRecord } from "./parse-record.ts";

/** Enough for compilers and test runners, far from what stops a machine. */
const DEFAULT_PROCESSES = 256;

const path = z
  .string()
  .refine((given) => isAbsolute(given) && !given.split(/[\\/]/u).includes(".."), {
    error: "a path must be absolute and without ..",
  })
  // The CLI would read them as a pattern, and the path itself would not be covered.
  .refine((given) => !/[*?[\]\n]/u.test(given), { error: "a path may not contain *, ?, [, ] or a line break" });
const paths = z.array(path).readonly().default([]);

const FIELDS = z.strictObject({
  /** Whether commands are confined. Off, nothing but the private home is left, and every network has to be allowed. */
  enabled: z.boolean().default(true),
  /** What commands and file tools may write, beside the working directory. */
  writablePaths: paths,
  /** What commands and file tools may read, beside the working directory, what they may write, and the system's own folders. */
  readablePaths: paths,
  /** What they may neither read nor write, also inside of what is allowed. */
  deniedPaths: paths,
  /** Commands that run outside of the sandbox, in the CLI's syntax: `docker:*`. Whoever can name one is not confined. */
  excludedCommands: z.array(z.string().min(1)).readonly().default([]),
  /** Whether a command may ask to run outside of the sandbox. */
  allowUnsandboxedCommands: z.boolean().default(false),
  /** Whether commands run without being asked for, since they are confined. */
  bashAutoAllow: z.boolean().default(true),
  /** For containers that allow no new /proc: commands then see the host's processes, and the API key in them. */
  enableWeakerNestedSandbox: z.boolean().default(false),
  /** Processes that the agent and its tools may be together. */
  maxProcesses: z.int().positive().default(DEFAULT_PROCESSES),
  /** Bytes of memory that the agent and its tools may use together; no limit by default. */
  maxMemoryBytes: z.int().positive().optional(),
  /** Bytes that a turn may add on the disk; no limit by default. */
  maxDiskBytes: z.int().positive().optional(),
});

/** How tools are confined. */
export type SandboxConfig = Readonly<z.infer<typeof FIELDS>>;

/** What a sandbox configuration is made of. */
export type SandboxConfigOptions = z.input<typeof FIELDS>;

/** Makes a sandbox configuration; everything has a default, and the defaults confine. */
export function SandboxConfig(options: SandboxConfigOptions = {}): SandboxConfig {
  return parseRecord("SandboxConfig", FIELDS, options);
}
