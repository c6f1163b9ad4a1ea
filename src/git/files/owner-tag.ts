import { createHash } from "node:crypto";
import { identify } from "../../core/internal.ts";

let own: Promise<string> | undefined;

/** A word for names of files in work, by which others can tell whether the process that made them is gone. */
export function ownerTag(): Promise<string> {
  return (own ??= tagOf(process.pid).then((tag) => tag ?? `${process.pid}-${shortHash("")}-${shortHash("")}`));
}

/** Whether a name holds such a word, of a process that is gone; undefined where it holds none, or one of another container. */
export async function isOfDead(name: string): Promise<boolean | undefined> {
  const [tag, pid, place] = TAG.exec(name) ?? [];
  if (tag === undefined || place !== (await ownerTag()).split("-")[1]) return undefined;
  return (await tagOf(Number(pid))) !== tag;
}

const TAG = /(\d+)-([0-9a-f]{8})-[0-9a-f]{8}(?=_)/u;

/** The pid, where it counts, and when the process began: pids are used again. */
async function tagOf(pid: number): Promise<string | undefined> {
  const identity = await identify(pid);
  return identity && `${pid}-${shortHash(identity.namespace ?? "")}-${shortHash(identity.startTime)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
