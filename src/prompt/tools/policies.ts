import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { ownValue } from "../../core/internal.ts";
import { pathScope, type PathScopeOptions, type PermissionPolicy } from "../../engine/internal.ts";
import { usageError } from "../usage-error.ts";
import type { ToolPolicy, ToolCall } from "./tool-policy.ts";

/** A permission policy of the engine as a policy of a prompt: its denials hold, and its other opinions do not count. */
export function permissionToolPolicy(name: string, policyFor: (cwd: string) => PermissionPolicy): ToolPolicy {
  return {
    name,
    async check({ tool, input, callId }, { cwd, signal }) {
      const decision = await policyFor(cwd)({ tool, input, toolUseId: callId, signal });
      return decision.type === "deny" ? { denied: decision.message } : undefined;
    },
  };
}

/** Which further paths file tools may go to, and which tools of the prompt are file tools too. */
export interface StayInsideOptions extends Omit<PathScopeOptions, "root"> {
  /** Tools of the prompt whose argument is a path: name and argument. */
  readonly paths?: Readonly<Record<string, string>>;
}

/** File tools stay in the directory that the agent works in, and in what is allowed beside it: `pathScope` of the engine. */
export function stayInside({ paths = {}, ...options }: StayInsideOptions = {}): ToolPolicy {
  const policy = permissionToolPolicy("stay-inside", (cwd) => pathScope({ ...options, root: cwd }));
  return {
    name: policy.name,
    async check(call, context) {
      const key = call.isBridged ? ownValue(paths, call.tool) : undefined;
      if (key === undefined) return await policy.check(call, context);
      // To the scope, whatever takes a path is a tool that reads it.
      const found = await policy.check({ ...call, tool: "Read", input: { file_path: call.input[key] } }, context);
      return found && { denied: found.denied.replace(/^Read was/u, `${call.tool} was`) };
    },
  };
}

/** Which tools read and write files, and in which argument the path is. */
export interface ReadBeforeWriteOptions {
  /** Tools of the prompt that read a file: name and argument. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Tools of the prompt that write a file: name and argument. */
  readonly writes?: Readonly<Record<string, string>>;
}

const READS = { Read: "file_path", NotebookRead: "notebook_path" };
const WRITES = { Write: "file_path", Edit: "file_path", MultiEdit: "file_path", NotebookEdit: "notebook_path" };

/**
 * A file that is there is written only after it was read, or written, in the same evaluation; a new one may be made. It covers
 * Claude Code's file tools and those that are named. What a shell command writes cannot be told before it runs.
 */
export function readBeforeWrite({ reads = {}, writes = {} }: ReadBeforeWriteOptions = {}): ToolPolicy {
  const readers = { ...READS, ...reads };
  const writers = { ...WRITES, ...writes };
  return {
    name: "read-before-write",
    async check(call, { cwd, calls }) {
      const path = pathOf(call, writers, cwd);
      if (path === undefined || !(await lstat(path).catch(() => undefined))) return undefined;
      const known = calls.some(
        (ended) => !ended.isError && [pathOf(ended, readers, cwd), pathOf(ended, writers, cwd)].includes(path),
      );
      return known ? undefined : { denied: `${path} was not read yet: read it before writing it.` };
    },
  };
}

function pathOf({ tool, input }: ToolCall, named: Readonly<Record<string, string>>, cwd: string): string | undefined {
  const key = ownValue(named, tool);
  const path = key === undefined ? undefined : input[key];
  return typeof path === "string" ? resolve(cwd, path) : undefined;
}

/** A tool may be called only after others were, with success, in the same evaluation: `{ deploy: ["test", "build"] }`. */
export function sequentialDependency(needs: Readonly<Record<string, readonly string[]>>): ToolPolicy {
  const byTool = new Map(Object.entries(needs));
  for (const tool of byTool.keys()) refuseCircle(byTool, tool);
  return {
    name: "sequential-dependency",
    check({ tool }, { calls }) {
      const done = new Set(calls.filter(({ isError }) => !isError).map((ended) => ended.tool));
      const missing = (byTool.get(tool) ?? []).filter((needed) => !done.has(needed));
      return missing.length === 0 ? undefined : { denied: `${tool} needs ${missing.join(", ")} to be called first.` };
    },
  };
}

/** Tools that wait for each other could never be called. */
function refuseCircle(needs: ReadonlyMap<string, readonly string[]>, tool: string): void {
  const needed = new Set(needs.get(tool));
  // What is added while the set is gone through has its turn too.
  for (const next of needed) for (const further of needs.get(next) ?? []) needed.add(further);
  if (!needed.has(tool)) return;
  const hint = "Take one of the tools out of the cycle.";
  throw usageError(tool, `The tool ${tool} would have to be called before itself`, hint);
}
