import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isoTime, monitorFolder, PRIVATE_FOLDER, SkeinError, type Clock } from "../../core/internal.ts";
import { writeDurably } from "../../git/index.ts";

/** What a person said of a session. */
export interface SessionFlag {
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Up to when it was read, ISO 8601; null where it never was. */
  readonly readTo: string | null;
}

/** What identifies a session that may be made of several, and when something last happened in it. */
interface FlaggedSession {
  readonly id: string;
  readonly sessionIds: readonly string[];
  readonly endedAtMs: number | undefined;
}

/** What people said of sessions. It is theirs and nobody can find it out again: it is on the disk before anybody is told that it is kept. */
export interface SessionFlags {
  of(session: Pick<FlaggedSession, "id" | "sessionIds">): SessionFlag;
  /** Whether something happened in it since it was read; what ended before flags were kept was read. */
  isUnread(session: FlaggedSession): boolean;
  set(id: string, change: Partial<SessionFlag>): Promise<void>;
}

const Flag = z.strictObject({
  pinned: z.boolean().default(false),
  archived: z.boolean().default(false),
  readTo: z.iso.datetime({ offset: true }).nullable().default(null),
});

const FlagFile = z.strictObject({
  version: z.literal(1),
  /** When flags began to be kept. */
  since: z.iso.datetime({ offset: true }),
  sessions: z.record(z.string(), Flag),
});

type FlagFile = z.infer<typeof FlagFile>;

const NONE: SessionFlag = { pinned: false, archived: false, readTo: null };

/** More than anybody has: it keeps the file from growing for ever. */
const MOST_SESSIONS = 100_000;

/** Opens them; fails where the file cannot be read, so that nothing in it is written over. One server at a time has them. */
export async function openSessionFlags(
  dataHome: string,
  { clock, isReadOnly }: { readonly clock: Clock; readonly isReadOnly: boolean },
): Promise<SessionFlags> {
  const path = join(monitorFolder(dataHome), "session-flags.json");
  const found = await readFlags(path);
  let kept: FlagFile = found ?? { version: 1, since: isoTime(clock.now()), sessions: {} };
  let writing: Promise<void> = Promise.resolve();

  async function write(next: FlagFile): Promise<void> {
    await mkdir(monitorFolder(dataHome), PRIVATE_FOLDER);
    await writeDurably(path, `${JSON.stringify(next)}\n`);
    kept = next;
  }

  if (!found && !isReadOnly) await write(kept);
  const flags: SessionFlags = {
    of({ id, sessionIds }) {
      const said = [id, ...sessionIds].find((each) => Object.hasOwn(kept.sessions, each));
      return (said === undefined ? undefined : kept.sessions[said]) ?? NONE;
    },
    isUnread: (session) => (session.endedAtMs ?? 0) > Date.parse(flags.of(session).readTo ?? kept.since),
    async set(id, change) {
      // One after the other: each writes what the one before has left.
      const last = writing;
      const written = (async () => {
        await last;
        const sessions = { ...kept.sessions, [id]: { ...(kept.sessions[id] ?? NONE), ...change } };
        if (Object.keys(sessions).length > MOST_SESSIONS) throw tooMany(path);
        await write({ ...kept, sessions });
      })();
      writing = written.catch(() => undefined);
      await written;
    },
  };
  return flags;
}

async function readFlags(path: string): Promise<FlagFile | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return FlagFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new SkeinError(`${path} says nothing that this version of Skein can read`, {
      kind: "parse",
      target: path,
      hint: "A newer version wrote it, or it is damaged: update Skein, or move it away, and no session is pinned or archived",
      cause,
    });
  }
}

function tooMany(path: string): SkeinError {
  return new SkeinError(`There are flags of ${MOST_SESSIONS} sessions`, { kind: "resource_exhausted", target: path });
}
