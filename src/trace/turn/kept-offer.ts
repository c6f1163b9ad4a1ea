import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../core/internal.ts";
import { readSmallFile } from "../../git/index.ts";

/** What the CLI offered in a workspace when a turn last began there, as it named it. */
export interface KeptOffer {
  /** Slash commands, skills among them. */
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly tools: readonly string[];
}

const MOST_NAMES = 1000;
const MOST_BYTES = 512 * 1024;

/** A name that a person can write: no space, no sign that cannot be seen. Others are left out, and so is what there is too much of. */
const Names = z
  .array(z.unknown())
  .catch([])
  .transform((names) => {
    const written = names.filter(
      (name): name is string => typeof name === "string" && /^[^\s\p{C}]{1,200}$/u.test(name),
    );
    return [...new Set(written)].slice(0, MOST_NAMES);
  });

const Init = z
  .looseObject({ slash_commands: Names, skills: Names, agents: Names, tools: Names })
  .transform(({ slash_commands: commands, skills, agents, tools }): KeptOffer => ({ commands, skills, agents, tools }));

const OfferFile = z.strictObject({
  version: z.literal(1),
  commands: Names,
  skills: Names,
  agents: Names,
  tools: Names,
});

/** Keeps what the message that begins a turn says of it, in the place of what was kept. A workspace without it is offered less, and a turn never fails for it. */
export async function keepOffer(home: string, init: unknown): Promise<void> {
  const { data: offer } = Init.safeParse(init);
  if (!offer || offer.tools.length + offer.commands.length === 0) return;
  const path = offerPath(home);
  const text = `${JSON.stringify({ version: 1, ...offer })}\n`;
  if (text.length > MOST_BYTES || readSmallFile(path, MOST_BYTES)?.toString("utf8") === text) return;
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** What was kept; undefined where nothing was, or nothing that can be read. */
export function readOffer(home: string): KeptOffer | undefined {
  const { data } = OfferFile.safeParse(parseJson(readSmallFile(offerPath(home), MOST_BYTES)?.toString("utf8") ?? ""));
  if (!data) return undefined;
  const { version: _, ...offer } = data;
  return offer;
}

function offerPath(home: string): string {
  return join(home, "offer.json");
}
