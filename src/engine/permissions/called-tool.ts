import type { PermissionRequest } from "./permission-policy.ts";

/** What a tool does to the file that its input names. */
export interface FileAccess {
  readonly access: "read" | "write";
  /** The path as the model wrote it; `.` for a search that names none. */
  readonly path: string;
}

const FILE_TOOLS: Readonly<Record<string, { readonly access: FileAccess["access"]; readonly key: string }>> = {
  Read: { access: "read", key: "file_path" },
  NotebookRead: { access: "read", key: "notebook_path" },
  Grep: { access: "read", key: "path" },
  Glob: { access: "read", key: "path" },
  LS: { access: "read", key: "path" },
  Write: { access: "write", key: "file_path" },
  Edit: { access: "write", key: "file_path" },
  MultiEdit: { access: "write", key: "file_path" },
  NotebookEdit: { access: "write", key: "notebook_path" },
};

/** Which files a call of a file tool touches; none for all other tools. */
export function fileAccesses({ tool, input }: Pick<PermissionRequest, "tool" | "input">): readonly FileAccess[] {
  if (!Object.hasOwn(FILE_TOOLS, tool)) return [];
  const { access, key } = FILE_TOOLS[tool] as (typeof FILE_TOOLS)[string];
  const path = input[key];
  const base = typeof path === "string" ? path : ".";
  if (tool !== "Glob" || typeof input["pattern"] !== "string") return [{ access, path: base }];
  return [base, globStart(base, input["pattern"])].map((start) => ({ access, path: start }));
}

/** The folder that a search begins in: a pattern can lead away from `path` by `..` or by being absolute. */
function globStart(base: string, pattern: string): string {
  const segments = pattern.split("/");
  const firstWild = segments.findIndex((segment) => /[*?[\]{}()!]/.test(segment));
  const fixed = segments.slice(0, firstWild === -1 ? segments.length : firstWild).join("/");
  if (pattern.startsWith("/")) return fixed === "" ? "/" : fixed;
  return pattern.startsWith("~/") ? fixed : `${base}/${fixed}`;
}

/** The command line that a call runs, if it runs one. */
export function commandOf({ tool, input }: PermissionRequest): string | undefined {
  const runs = tool === "Bash" || tool === "Monitor";
  return runs && typeof input["command"] === "string" ? input["command"] : undefined;
}
