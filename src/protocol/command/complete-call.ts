import type { z } from "zod";
import type { CallContext, Command } from "./command.ts";

/** The arguments of a command that has been given what is right by itself, completed by what is configured. */
export async function completeCall<Args extends z.ZodObject>(
  command: Pick<Command<Args>, "args">,
  given: Readonly<Record<string, unknown>>,
  context: Pick<CallContext, "configure" | "env" | "confinement" | "notice">,
): Promise<{ readonly args: z.infer<Args> } & Pick<CallContext, "configuration">> {
  const configured = await context.configure?.(command, given, context);
  if (!configured) return { args: command.args.parse(given) };
  return { args: command.args.parse(configured.given), configuration: configured.configuration };
}
