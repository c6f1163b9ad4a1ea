import { expect, it } from "vitest";
import type { AgentOffer } from "./agent-offer.ts";
import type { OfferedTool } from "./offered.ts";
import { toToolPool, excludedBy, type ToolRules } from "./tool-pool.ts";

const NONE: ToolRules = { simpleMode: false, mcp: true, denyTool: [], denyPrefix: [] };
const BASH = tool("Bash");
const AGENT = { ...tool("Agent"), aliases: ["Task"] };
const BUY: OfferedTool = { ...tool("mcp__shop__buy"), source: "mcp", server: "shop" };

it.each([
  [{}, [undefined, undefined, undefined]],
  [{ simpleMode: true }, [undefined, "simple_mode", "simple_mode"]],
  [{ mcp: false }, [undefined, undefined, "mcp_off"]],
  [{ denyTool: ["bash", "TASK"] }, ["deny_tool", "deny_tool", undefined]],
  [{ denyPrefix: ["MCP__", "ba"] }, ["deny_prefix", undefined, "deny_prefix"]],
] as const)("the rules %j leave out %j", (rules, reasons) => {
  expect([BASH, AGENT, BUY].map((one) => excludedBy(one, { ...NONE, ...structuredClone(rules) } as ToolRules))).toEqual(
    reasons,
  );
});

it("a tool that is there without the settings only, or in its server's list only, is out by a rule", () => {
  const here = offer(
    [BASH, BUY],
    [{ name: "shop", status: "connected", tools: ["mcp__shop__buy", "mcp__shop__sell"] }],
  );
  expect(toToolPool({ here, bare: offer([BASH, tool("WebFetch")]) }, { ...NONE, denyTool: ["Bash"] })).toEqual({
    simple_mode: false,
    include_mcp: true,
    tool_count: 1,
    tools: [{ name: "mcp__shop__buy", source: "mcp", server: "shop" }],
    excluded_count: 3,
    excluded: [
      { name: "Bash", source: "native", server: null, reason: "deny_tool" },
      { name: "WebFetch", source: "native", server: null, reason: "permission_rule" },
      { name: "mcp__shop__sell", source: "mcp", server: "shop", reason: "permission_rule" },
    ],
    mcp_servers: [{ name: "shop", status: "connected", tools: 2 }],
  });
});

function tool(name: string): OfferedTool {
  return { name, description: "", source: "native", server: null, aliases: [], input_schema: {} };
}

function offer(tools: readonly OfferedTool[], servers: AgentOffer["servers"] = []): AgentOffer {
  return { cliVersion: "1.0.0", commands: [], tools, agents: [], plugins: [], servers };
}
