import { once } from "node:events";
import { dirname } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import type { BytePath } from "../files/byte-path.ts";
import { gitError } from "../files/storage-error.ts";
import { syncPacksAndRefs } from "../refs.ts";
import { endOf, spawnGit } from "../run-git.ts";

export type TreeEdit =
  | { readonly type: "set"; readonly path: BytePath; readonly mode: string; readonly oid: string }
  | { readonly type: "remove"; readonly path: BytePath };

interface ImportedCommit {
  readonly ref: string;
  /** The tree's id, reckoned by us; git must come to the same. */
  readonly tree: string;
  readonly base: string | undefined;
  readonly edits: readonly TreeEdit[];
}

export type ImportStream = ReturnType<typeof startImport>;

/** Writes objects and one commit by one `git fast-import`: all of it becomes visible at once, with the ref, or nothing does. */
export function startImport(gitDirectory: string, signal?: AbortSignal) {
  const args = ["fast-import", "--quiet", "--force", "--done", "--depth=0", "--date-format=raw"];
  // Always one pack: whose folder, unlike those of loose objects, is known and can be flushed.
  const child = spawnGit({ gitDirectory, args, signal, settings: ["fastimport.unpackLimit=0"] });
  let broken = false;
  child.stdin.on("error", () => (broken = true));
  let answer = "";
  child.stdout.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
  const end = endOf(child);
  // Heard by commit or abort; a failure before that is told there.
  end.catch(() => undefined);
  const write = async (data: string | Buffer): Promise<void> => {
    if (broken || child.exitCode !== null) return;
    const room = child.stdin.write(typeof data === "string" ? Buffer.from(data, "latin1") : data);
    if (!room) await Promise.race([once(child.stdin, "drain"), end]).catch(() => undefined);
  };
  return {
    /** Adds a blob; resolves when git has room for more. */
    async blob(content: Buffer): Promise<void> {
      await write(`blob\ndata ${content.length}\n`);
      await write(content);
      await write("\n");
    },
    /** Writes the commit and the ref and waits until both are on the disk. */
    async commit(commit: ImportedCommit): Promise<void> {
      for (const part of formatCommit(commit)) await write(part);
      while (!answer.includes("\n") && child.exitCode === null) {
        await Promise.race([once(child.stdout, "data"), end]);
      }
      const tree = /tree ([0-9a-f]{40})/.exec(answer)?.[1];
      const isExpected = tree === commit.tree;
      if (isExpected) await write("done\n");
      child.stdin.end();
      const how = await end;
      signal?.throwIfAborted();
      if (tree === undefined || (isExpected && how.exitCode !== 0)) throw gitError("fast-import", how);
      if (isExpected) return await syncPacksAndRefs(gitDirectory, dirname(commit.ref));
      throw new SkeinError(`git made the tree ${tree} where ${commit.tree} was expected`, { kind: "runtime" });
    },
    async abort(): Promise<void> {
      child.stdin.destroy();
      await end.catch(() => undefined);
    },
  };
}

/** The author and time are fixed: a snapshot is its tree, and the same one is the same commit. */
function* formatCommit({ ref, base, edits }: ImportedCommit): Generator<string> {
  yield `commit ${ref}\nmark :1\ncommitter Skein <skein@localhost> 0 +0000\ndata 0\n`;
  if (base !== undefined) yield `M 040000 ${base} ""\n`;
  let lines = "";
  for (const edit of edits) {
    lines += edit.type === "remove" ? `D ${quote(edit.path)}\n` : `M ${edit.mode} ${edit.oid} ${quote(edit.path)}\n`;
    if (lines.length <= 65_536) continue;
    yield lines;
    lines = "";
  }
  yield `${lines}\nls :1 ""\n`;
}

function quote(path: BytePath): string {
  // oxlint-disable-next-line no-control-regex -- everything but plain ASCII is written as octal
  return `"${path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`;
}
