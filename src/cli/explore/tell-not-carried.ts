import type { ClaudeEnvironment } from "../../search/index.ts";
import type { NotCarried } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { plainLine } from "../plain-text.ts";
import { tellPathsOnce } from "../states/tell-left-out.ts";

/** Finds what lies in the workspace and not on its branches, and says it, each path once. */
export async function tellNotCarried(
  environment: ClaudeEnvironment,
  context: CommandContext,
): Promise<readonly NotCarried[]> {
  for (const glob of await environment.idleGlobs()) {
    context.notice(`--carry ${plainLine(glob)} matches nothing that branches would lack.`);
  }
  const found = await environment.notCarried();
  const paths = found.map(({ path }) => path);
  await tellPathsOnce(environment.workspace, { name: "told-not-carried", paths }, (list) =>
    context.notice(
      `Not on branches, because states leave it out: ${list}. Use --carry to bring something along, such as --carry .env.`,
    ),
  );
  return found;
}
