import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../jsonl.ts";
import { ProcessIdentitySchema } from "../process-identity.ts";

/** What a monitor says of itself in the data folder, for as long as it runs; after a kill it stays, and leads nowhere. */
export const ServerFile = z.object({
  version: z.literal(1),
  process: ProcessIdentitySchema,
  /** Where it answers requests; no token is in it. */
  url: z.string(),
  /** The local socket on which it hears of events. */
  socket: z.string(),
  startedAt: z.string(),
});

export type ServerFile = Readonly<z.infer<typeof ServerFile>>;

/** The folder of the monitor in Skein's data folder. */
export function monitorFolder(dataHome: string): string {
  return join(dataHome, "monitor");
}

export function serverFilePath(dataHome: string): string {
  return join(monitorFolder(dataHome), "server.json");
}

/** What the monitor of a data folder says of itself; undefined where there is none, or one of another version. */
export async function readServerFile(dataHome: string): Promise<ServerFile | undefined> {
  const text = await readFile(serverFilePath(dataHome), "utf8").catch(() => "");
  return ServerFile.safeParse(parseJson(text)).data;
}
