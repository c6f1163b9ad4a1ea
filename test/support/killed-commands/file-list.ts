import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gitIn } from "./git-in.ts";

/** Files by their paths: each with its kind and what git calls its content, so that equal lists are equal byte for byte. */
export type FileList = ReadonlyMap<string, string>;

/** What no state holds, here: what is ignored, secrets, the repository itself, and the folder that the CLI makes. */
const NOT_HELD: ReadonlySet<string> = new Set([".git", ".claude", ".env", "ignored.log"]);

/** Reads a directory without anything of Skein's. */
export function listFiles(directory: string): FileList {
  const found = new Map<string, string>();
  const read = (folder: string): void => {
    for (const name of readdirSync(join(directory, folder)).filter((each) => !NOT_HELD.has(each))) {
      const path = join(folder, name);
      const stats = lstatSync(join(directory, path));
      if (stats.isDirectory()) read(path);
      else if (stats.isSymbolicLink())
        found.set(path, entry("120000", Buffer.from(readlinkSync(join(directory, path)))));
      else found.set(path, entry(stats.mode & 0o100 ? "100755" : "100644", readFileSync(join(directory, path))));
    }
  };
  read("");
  return sorted(found);
}

/** The list with other files in place of some, or beside them; undefined takes one away. */
export function withFiles(files: FileList, changes: Readonly<Record<string, string | undefined>>): FileList {
  const changed = new Map(files);
  for (const [path, text] of Object.entries(changes)) {
    if (text === undefined) changed.delete(path);
    else changed.set(path, entry("100644", Buffer.from(text)));
  }
  return sorted(changed);
}

/** The files of a state or a snapshot, as git reads them from the store; undefined where it has none such. */
export async function listStored(gitDirectory: string, id: string): Promise<FileList | undefined> {
  try {
    const lines = (await gitIn(gitDirectory, "ls-tree", "-r", "-z", `${id}:files`)).split("\0");
    const found = lines.filter(Boolean).map((line): readonly [string, string] => {
      const [kind = "", path = ""] = line.split("\t");
      const [mode = "", , oid = ""] = kind.split(" ");
      return [path, `${mode} ${oid}`];
    });
    return sorted(new Map(found));
  } catch {
    return undefined;
  }
}

/** What differs, in words; none where both are the same. */
export function differences(is: FileList | undefined, expected: FileList): readonly string[] {
  if (!is) return ["it is not there"];
  const paths = new Set([...is.keys(), ...expected.keys()]);
  return [...paths].flatMap((path) => {
    const [found, wanted] = [is.get(path), expected.get(path)];
    return found === wanted ? [] : [`${path}: ${found ?? "missing"} instead of ${wanted ?? "nothing"}`];
  });
}

function entry(mode: string, content: Buffer): string {
  const oid = createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
  return `${mode} ${oid}`;
}

function sorted(files: ReadonlyMap<string, string>): FileList {
  return new Map([...files].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
