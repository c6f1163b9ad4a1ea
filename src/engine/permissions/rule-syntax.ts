import { ClaudeConfigError } from "../../core/internal.ts";

export type PermissionRule = {
  readonly source: string;
} & (
  | { readonly type: "tool"; readonly tool: string }
  | { readonly type: "command"; readonly pattern: string }
  | { readonly type: "path"; readonly tool: "Read" | "Edit" | "Write" | "NotebookEdit"; readonly pattern: string }
  | { readonly type: "domain"; readonly domain: string }
  | { readonly type: "mcp"; readonly server: string; readonly tool: string }
  | { readonly type: "agent"; readonly name: string }
);

/** Reads a rule: `Tool`, `Bash(git:*)`, `Edit(src/**)`, `WebFetch(domain:example.com)`, `mcp__server__tool`, `Agent(name)`. */
export function parseRule(source: string): PermissionRule {
  const found = /^(?<tool>[\w-]+(?:\*)?)(?:\((?<content>[^]*)\))?$/.exec(source.trim());
  if (!found?.groups) throw invalid(source, "A rule is a tool's name, or Tool(…).");
  const tool = found.groups["tool"] as string;
  const content = found.groups["content"]?.trim() ?? "";
  if (tool.startsWith("mcp__")) return parseMcp(source, tool, content);
  if (tool.includes("*")) throw invalid(source, "Only the tools of MCP servers can be named with an asterisk.");
  if (content === "" || content === "*") return { source, type: "tool", tool: canonicalTool(tool) };
  return parseContent(source, canonicalTool(tool), content);
}

/** A tool's present name: sub-agents were once started by `Task`. */
export function canonicalTool(tool: string): string {
  return tool === "Task" ? "Agent" : tool;
}

function parseContent(source: string, tool: string, content: string): PermissionRule {
  switch (tool) {
    case "Bash":
      return { source, type: "command", pattern: content };
    case "Read":
    case "Edit":
    case "Write":
    case "NotebookEdit":
      if (content.startsWith("!"))
        throw invalid(source, "A rule names paths; it cannot exclude some with an exclamation mark.");
      return { source, type: "path", tool, pattern: content };
    case "WebFetch":
      if (!content.startsWith("domain:")) throw invalid(source, "WebFetch takes domain:example.com.");
      return { source, type: "domain", domain: content.slice("domain:".length).trim().toLowerCase() };
    case "Agent":
      return { source, type: "agent", name: content };
  }
  throw invalid(
    source,
    `Rules for ${tool} cannot be narrowed here: name the tool alone, or write a policy of your own.`,
  );
}

function parseMcp(source: string, name: string, content: string): PermissionRule {
  const [server = "", ...rest] = name.slice("mcp__".length).split("__");
  const tool = rest.join("__");
  if (server === "" || content !== "") throw invalid(source, "MCP rules are mcp__server or mcp__server__tool.");
  return { source, type: "mcp", server, tool: tool === "" ? "*" : tool };
}

function invalid(source: string, hint: string): ClaudeConfigError {
  return new ClaudeConfigError(`"${source}" is not a permission rule`, { option: "rules", hint });
}
