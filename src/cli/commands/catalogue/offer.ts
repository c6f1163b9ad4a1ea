import type { CommandContext } from "../../command-context.ts";
import { cwdFlag, findDirectory } from "../../open-workspace.ts";
import { requireTrust, trustFlag } from "../../require-trust.ts";
import { askOffer, type AgentOffer } from "../../../protocol/index.ts";
import { fitLine, plainLine } from "../../plain-text.ts";

export const offerFlags = { cwd: cwdFlag, trust: trustFlag } as const;

/** Asks what the CLI offers with the settings of a folder, which a person has to trust. */
export async function askOfferHere(
  { cwd, trust }: { readonly cwd?: string | undefined; readonly trust: boolean },
  context: CommandContext,
): Promise<AgentOffer> {
  const settings = await requireTrust(await findDirectory(cwd, context), { trust, context });
  return await askOffer(settings.directory, { ...context, settings });
}

export function offerLines(
  heading: string,
  entries: readonly { readonly name: string; readonly source: string; readonly description: string }[],
  columns: number,
): string {
  const bullets = entries.map(({ name, source, description }) =>
    fitLine(`- ${plainLine(name)} (${source}): ${plainLine(description)}`, Math.max(columns, 40)),
  );
  return `${[heading, "", ...bullets].join("\n").trimEnd()}\n`;
}

export function mentions(
  query: string | undefined,
  { name, description }: { readonly name: string; readonly description: string },
): boolean {
  return query === undefined || `${name}\n${description}`.toLowerCase().includes(query.toLowerCase());
}
