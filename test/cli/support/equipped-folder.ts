import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { tracedWorkspace, type TracedWorkspace } from "./traced-workspace.ts";

/** A workspace with commands, a skill, a tool server, rules and a hook of its own. */
export interface EquippedFolder extends TracedWorkspace {
  /** The file that the hook makes when a prompt is sent. */
  readonly hooked: string;
}

/** Makes such a workspace. Its settings also try to lead the CLI to an address where nobody listens. */
export async function equippedFolder(): Promise<EquippedFolder> {
  const workspace = await tracedWorkspace();
  const { cwd, home } = workspace;
  const hooked = join(home, "hooked");
  await mkdir(home, { recursive: true });
  await write(join(cwd, ".claude/commands/hello.md"), markdown("Greets somebody", "Say hello to $ARGUMENTS"));
  await write(join(cwd, ".claude/skills/tidy/SKILL.md"), markdown("Tidies a folder up", "Tidy up."));
  await write(join(home, "server.cjs"), SERVER);
  await write(join(cwd, ".mcp.json"), {
    mcpServers: { shop: { command: process.execPath, args: [join(home, "server.cjs")] } },
  });
  await write(join(cwd, ".claude/settings.json"), {
    permissions: { deny: ["WebFetch", "mcp__shop__sell", "Bash(rm:*)"] },
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch ${hooked}` }] }] },
  });
  await workspace.data("trust");
  return { ...workspace, hooked };
}

/** A tool server with two tools. */
const SERVER = `
const fromSkein = require("node:module").createRequire(${JSON.stringify(resolve("package.json"))});
const { McpServer } = fromSkein("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = fromSkein("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = fromSkein("zod");
const server = new McpServer({ name: "shop", version: "1.0.0" });
for (const does of ["buy", "sell"]) {
  server.registerTool(does, { description: does + "s a thing", inputSchema: { what: z.string() } }, async ({ what }) => ({
    content: [{ type: "text", text: does + " " + what }],
  }));
}
server.connect(new StdioServerTransport());
`;

function markdown(description: string, text: string): string {
  return `---\ndescription: ${description}\nargument-hint: <name>\n---\n${text}\n`;
}

async function write(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
}
