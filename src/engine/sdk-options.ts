import type { Options } from "@anthropic-ai/claude-agent-sdk";
import type { ClaudeOptions } from "./claude-options.ts";
import { bundledCliPath } from "./find-cli.ts";

/** Maps Skein's options onto the SDK's: the one place where both vocabularies meet. */
export function toSdkOptions(options: ClaudeOptions, environment: Record<string, string>): Options {
  return {
    ...given({
      model: options.model,
      canUseTool: options.canUseTool,
      maxTurns: options.maxTurns,
      maxBudgetUsd: options.maxBudgetUsd,
      resume: options.resume,
      forkSession: options.forkSession,
      systemPrompt: options.systemPrompt,
      sandbox: options.sandbox,
      tools: options.tools && [...options.tools],
      outputFormat: options.outputSchema && { type: "json_schema" as const, schema: { ...options.outputSchema } },
      agents: options.agents && { ...options.agents },
      mcpServers: options.mcpServers && { ...options.mcpServers },
    }),
    cwd: options.cwd ?? process.cwd(),
    additionalDirectories: [...(options.additionalDirectories ?? [])],
    permissionMode: options.permissionMode ?? "default",
    allowDangerouslySkipPermissions: options.permissionMode === "bypassPermissions",
    allowedTools: [...(options.allowedTools ?? [])],
    disallowedTools: [...(options.disallowedTools ?? [])],
    settingSources: [...(options.settingSources ?? [])],
    includePartialMessages: true,
    pathToClaudeCodeExecutable: options.cliPath ?? bundledCliPath(),
    env: environment,
  };
}

/** Leaves out what was not given: to the SDK, `undefined` is not always the same as nothing. */
function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
