import { readFile } from "node:fs/promises";

export interface Mount {
  /** Its device, as `major:minor`. */
  readonly device: string;
  /** Which folder of the file system is mounted. */
  readonly root: string;
  readonly path: string;
  readonly type: string;
  /** The options of the file system itself. */
  readonly options: readonly string[];
}

/** The mounts that a process sees, in the order in which they were made; none where they cannot be read (Linux). */
export async function readMounts(pid: number | "self"): Promise<readonly Mount[]> {
  const text = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , device, root, path] = before.split(" ");
    const [type, , options = ""] = after.split(" ");
    if (device === undefined || root === undefined || path === undefined || type === undefined) return [];
    return [{ device, root: unescape(root), path: unescape(path), type, options: options.split(",") }];
  });
}

/** Spaces and the like are written as octal numbers. */
function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
