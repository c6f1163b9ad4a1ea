import { z } from "zod";
import { SkeinError, type TurnStartEvent } from "../../core/index.ts";
import type { AnyTool } from "../tool.ts";
import { bridgedName, SERVER_KEY } from "../tools/bridged-name.ts";

const rawSchema = z.looseObject({
  mcp_servers: z.array(z.looseObject({ name: z.string(), status: z.string() })).optional(),
});

/** What is wrong where a turn begins without a tool of its prompt: an agent without it would do something else instead. */
export function missingTools(
  { tools: offered, raw }: TurnStartEvent,
  tools: readonly AnyTool[],
): SkeinError | undefined {
  const missing = tools.map(({ name }) => name).filter((name) => !offered.includes(bridgedName(name)));
  if (missing.length === 0) return undefined;
  const servers = rawSchema.safeParse(raw).data?.mcp_servers ?? [];
  const status = servers.find(({ name }) => name === SERVER_KEY)?.status ?? "absent";
  return new SkeinError(`The agent was started without the tools ${missing.join(", ")} of its prompt`, {
    kind: "mcp",
    target: missing.join(","),
    hint: `Their server is ${status}; look for rules that forbid mcp__${SERVER_KEY}, and try again.`,
  });
}
