import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { z } from "zod";
import {
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  dataHome,
  defined,
  isoTime,
  parseJson,
  systemClock,
} from "../../core/internal.ts";
import type { FolderInspection } from "./inspect-folder.ts";
import type { OwnConfiguration } from "./own-configuration.ts";

const Entry = z.strictObject({
  directory: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/u),
  trustedAt: z.string(),
  /** The hash of the folder's own `skein.config.json` and its plugins, where it had one. */
  configHash: z.string().optional(),
});

/** A folder that a person trusts, and the hash of what it then would have executed. */
type TrustedFolder = z.infer<typeof Entry>;

/** The folders that a person trusts, in the data folder, each in a file of its own; nothing is made before one is trusted. */
export function openTrustStore(folder: string = join(dataHome(), "trusted-folders")) {
  const fileOf = (directory: string): string =>
    join(folder, `${createHash("sha256").update(directory).digest("hex")}.json`);
  return {
    /** Whether a person has trusted exactly this; a folder that configures nothing needs no trust. */
    async isTrusted({ directory, files, hash }: FolderInspection): Promise<boolean> {
      if (files.length === 0) return true;
      // An agent that works in the folder could write itself a trust.
      if (await liesIn(folder, directory)) return false;
      const entry = await readEntry(fileOf(directory));
      return entry?.directory === directory && entry.hash === hash;
    },
    /** Whether a person has trusted the folder's `skein.config.json` as it is: `changed` where they have trusted it as it was. */
    async trustOf({ directory, hash }: OwnConfiguration): Promise<"trusted" | "changed" | "none"> {
      if (await liesIn(folder, directory)) return "none";
      const entry = await readEntry(fileOf(directory));
      if (entry?.directory !== directory || entry.configHash === undefined) return "none";
      return entry.configHash === hash ? "trusted" : "changed";
    },
    /** Whether a person has trusted a `skein.config.json` of the folder, which may be gone by now. */
    async hasTrustedConfig(directory: string): Promise<boolean> {
      const entry = await readEntry(fileOf(directory));
      return entry?.directory === directory && entry.configHash !== undefined;
    },
    async trust({ directory, hash, configHash }: FolderInspection): Promise<TrustedFolder> {
      const entry = { directory, hash, trustedAt: isoTime(systemClock.now()), ...defined({ configHash }) };
      await mkdir(folder, PRIVATE_FOLDER);
      const draft = join(folder, `.${randomUUID()}`);
      await writeFile(draft, `${JSON.stringify(entry)}\n`, { mode: PRIVATE_FILE, flag: "wx" });
      await rename(draft, fileOf(directory));
      return entry;
    },
    /** Takes the trust back; false where there was none. */
    async revoke(directory: string): Promise<boolean> {
      // A folder that is gone is known by the name that it had.
      const file = fileOf(await realpath(directory).catch(() => resolve(directory)));
      const wasThere = (await readEntry(file)) !== undefined;
      await rm(file, { force: true });
      return wasThere;
    },
    async list(): Promise<readonly TrustedFolder[]> {
      const names = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{64}\.json$/u.test(name));
      const entries = await Promise.all(names.map((name) => readEntry(join(folder, name))));
      const readable = entries.filter((entry) => entry !== undefined);
      return readable.toSorted((left, right) => (left.directory < right.directory ? -1 : 1));
    },
  };
}

async function liesIn(folder: string, directory: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => resolve(folder));
  return real.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

/** What cannot be read is no trust. */
async function readEntry(file: string): Promise<TrustedFolder | undefined> {
  return Entry.safeParse(parseJson(await readFile(file, "utf8").catch(() => ""))).data;
}
