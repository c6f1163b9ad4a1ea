import { existsSync } from "node:fs";
import { mkdir, readdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askOffer } from "../../src/protocol/offer/agent-offer.ts";
import { KNOWN_MESSAGE_TYPES, KNOWN_TOOLS } from "../../src/protocol/report/parity.ts";
import { SIMPLE_TOOLS, toToolPool } from "../../src/protocol/offer/tool-pool.ts";
import { createMessageReader } from "../../src/engine/turns/message-events.ts";
import { equippedFolder } from "./support/equipped-folder.ts";
import { temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 120_000 } as const;
const verify = async (): Promise<void> => {};
const NO_RULES = { simpleMode: false, mcp: true, denyTool: [], denyPrefix: [] };

it("the CLI offers what the folder, the user and a tool server bring, and runs no hook for it", SLOW, async () => {
  const { cwd, hooked } = await equippedFolder();
  const config = await temporaryDirectory();
  await mkdir(join(config, "commands"));
  await writeFile(join(config, "commands", "mine.md"), "Do $ARGUMENTS");
  const asking = { env: { CLAUDE_CONFIG_DIR: config }, signal: new AbortController().signal };

  const settings = { directory: cwd, options: { settingSources: ["user", "project", "local"] as const }, verify };

  const [here, bare] = await Promise.all([askOffer(cwd, { ...asking, settings }), askOffer(cwd, asking)]);

  const named = new Map(here.commands.map((command) => [command.name, command]));
  expect(named.get("hello")).toEqual({
    name: "hello",
    description: "Greets somebody",
    argument_hint: "<name>",
    aliases: [],
    source: "project",
    plugin: null,
    is_skill: false,
    is_terminal_only: false,
  });
  expect(named.get("tidy")).toMatchObject({ source: "project", is_skill: true });
  expect(named.get("mine")).toMatchObject({ source: "user", is_skill: false });
  expect(named.get("compact")).toMatchObject({ source: "builtin" });
  expect(here.servers).toEqual([{ name: "shop", status: "connected", tools: ["mcp__shop__buy", "mcp__shop__sell"] }]);
  const buy = here.tools.find(({ name }) => name === "mcp__shop__buy");
  expect(buy).toMatchObject({ source: "mcp", server: "shop", description: "buys a thing" });
  expect(buy?.input_schema).toMatchObject({ properties: { what: { type: "string" } }, required: ["what"] });
  const bash = here.tools.find(({ name }) => name === "Bash");
  expect(bash?.input_schema).toMatchObject({ required: ["command"] });

  expect(bare.commands.filter(({ source }) => source !== "builtin")).toEqual([]);
  expect(bare.tools.map(({ name }) => name).toSorted()).toEqual(KNOWN_TOOLS.toSorted());
  expect(toToolPool({ here, bare }, NO_RULES).excluded).toEqual([
    { name: "WebFetch", source: "native", server: null, reason: "permission_rule" },
    { name: "mcp__shop__sell", source: "mcp", server: "shop", reason: "permission_rule" },
  ]);

  expect(existsSync(hooked)).toBe(false);
  expect(existsSync(join(config, "projects"))).toBe(false);
  expect((await readdir(cwd)).toSorted()).toEqual([".claude", ".mcp.json"]);
});

it("simple mode has the tools that the CLI's own has", SLOW, async () => {
  const { tools } = await askOffer(await realpath(await temporaryDirectory()), {
    env: { CLAUDE_CONFIG_DIR: await temporaryDirectory() },
    signal: new AbortController().signal,
    options: { env: { CLAUDE_CODE_SIMPLE: "1" } },
  });
  expect(tools.map(({ name }) => name).toSorted()).toEqual(SIMPLE_TOOLS.toSorted());
});

it("a question that is cancelled fails as cancelled", SLOW, async () => {
  const asking = { env: {}, signal: AbortSignal.abort() };
  await expect(askOffer(await temporaryDirectory(), asking)).rejects.toMatchObject({ kind: "cancelled" });
});

it("the types of messages that are said to be known are those that events are made of", () => {
  const eventOf = (type: string): string | undefined => {
    const message = { type, subtype: "any", session_id: "s", event: { type: "" }, message: { content: [] } };
    return createMessageReader().read(message as never)[0]?.type;
  };
  expect(KNOWN_MESSAGE_TYPES.filter((type) => eventOf(type) === "unknown")).toEqual([]);
  expect(eventOf("telepathy")).toBe("unknown");
});
