import type { CommandContext } from "../command-context.ts";
import { cwdFlag, findDirectory } from "../open-workspace.ts";
import { requireTrust, trustFlag } from "../trust/require-trust.ts";
import { askOffer, type AgentOffer } from "../../protocol/index.ts";

/** The flags of every command that asks what the CLI offers with a folder's settings. */
export const offerFlags = { cwd: cwdFlag, trust: trustFlag } as const;

/** Asks what the CLI offers with the settings of a folder, which a person has to trust. */
export async function askOfferHere(
  { cwd, trust }: { readonly cwd?: string | undefined; readonly trust: boolean },
  context: CommandContext,
): Promise<AgentOffer> {
  const settings = await requireTrust(await findDirectory(cwd, context), { trust, context });
  return await askOffer(settings.directory, { ...context, settings });
}
