import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ToolCall, ToolPolicy } from "../tool-policy.ts";

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
  const [readers, writers] = [
    new Map(Object.entries({ ...READS, ...reads })),
    new Map(Object.entries({ ...WRITES, ...writes })),
  ];
  return {
    name: "read-before-write",
    async check(call, { cwd, calls }) {
      const path = pathOf(call, writers, cwd);
      if (path === undefined || !(await exists(path))) return undefined;
      const known = calls.some(
        (ended) => !ended.isError && [pathOf(ended, readers, cwd), pathOf(ended, writers, cwd)].includes(path),
      );
      return known ? undefined : { denied: `${path} was not read yet: read it before writing it.` };
    },
  };
}

function pathOf({ tool, input }: ToolCall, named: ReadonlyMap<string, string>, cwd: string): string | undefined {
  const key = named.get(tool);
  const path = key === undefined ? undefined : input[key];
  return typeof path === "string" ? resolve(cwd, path) : undefined;
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
