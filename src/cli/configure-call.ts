import type { Command, ConfigureCall } from "../protocol/index.ts";

/** Completes what a command was given by the environment, the workspace's and the user's file: for the command line, JSON-RPC and MCP alike. */
export const configureCall: ConfigureCall = async (command, given, context) => {
  const fields = settingFields(command);
  if (fields.size === 0) return undefined;
  // Most commands have nothing that can be configured, and load nothing for it.
  const { fillInSettings } = await import("./fill-in-settings.ts");
  return await fillInSettings(given, { fields, context });
};

/** The fields of a command that can be configured, by their keys. */
function settingFields({ args }: Pick<Command, "args">): ReadonlyMap<string, string> {
  const fields = Object.entries(args.shape).flatMap(([field, schema]) => {
    const setting = (schema as { meta?(): { readonly setting?: unknown } | undefined }).meta?.()?.setting;
    return typeof setting === "string" ? [[setting, field] as const] : [];
  });
  return new Map(fields);
}
