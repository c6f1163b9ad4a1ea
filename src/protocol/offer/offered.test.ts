import { describe, expect, it } from "vitest";
import { findCommand, findTool, toOfferedCommand, type OfferedCommand, toOfferedTools } from "./offered.ts";

const SESSION = { skills: ["tidy", "shop:polish"], terminalCommands: ["color"], plugins: ["shop"] };

describe("a command that the CLI tells of", () => {
  it.each([
    [{ name: "color", description: "Colours (user)", builtin: true }, "builtin", "Colours (user)"],
    [{ name: "hello", description: "Greets (project)" }, "project", "Greets"],
    [{ name: "mine", description: "(user)" }, "user", ""],
    [{ name: "shop:polish", description: "(shop) Polishes" }, "plugin", "Polishes"],
    [{ name: "sub:bye", description: "Leaves (project)" }, "project", "Leaves"],
    [{ name: "mcp__desk__ask", description: "Asks" }, "mcp", "Asks"],
    [{ name: "odd", description: "Odd" }, "other", "Odd"],
  ])("%j is of %s", (said, source, description) => {
    expect(toOfferedCommand({ argumentHint: "", ...said }, SESSION)).toMatchObject({
      name: said.name,
      source,
      description,
    });
  });

  it("is a skill, a plugin's or the terminal's where the session says so", () => {
    const flags = ["tidy", "shop:polish", "color"].map((name) => {
      const offered = toOfferedCommand({ name, description: "", argumentHint: "" }, SESSION);
      return [offered.is_skill, offered.plugin, offered.is_terminal_only];
    });
    expect(flags).toEqual([
      [true, null, false],
      [true, "shop", false],
      [false, null, true],
    ]);
  });
});

describe("a tool that the CLI tells the model of", () => {
  it("belongs to the server whose name it bears, Skein's own too", () => {
    const request = {
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user" as const, content: "x" }],
      tools: [
        { name: "Agent", description: "Works", input_schema: { type: "object" } },
        { name: "mcp__my_shop__buy" },
        { name: "mcp__loom__run" },
        { name: "mcp__gone__x" },
      ],
    };
    const servers = [{ name: "my shop" }, { name: "loom", calledItself: "skein" }];
    expect(toOfferedTools(request, servers)).toEqual([
      told("Agent", { description: "Works", aliases: ["Task"], input_schema: { type: "object" } }),
      told("mcp__my_shop__buy", { source: "mcp", server: "my shop" }),
      told("mcp__loom__run", { source: "skein", server: "loom" }),
      told("mcp__gone__x", { source: "mcp" }),
    ]);
  });
});

describe("finding", () => {
  const commands = [command("Deploy", "project"), { ...command("usage", "builtin"), aliases: ["cost"] }];

  it("takes any case, a slash and other names, and gives the name's own spelling", () => {
    expect(["deploy", "/DEPLOY", "Cost"].map((name) => findCommand(name, commands).name)).toEqual([
      "Deploy",
      "Deploy",
      "usage",
    ]);
  });

  it("prefers the CLI's own command where a name is shared, as the CLI does, and a name to another's alias", () => {
    const shared = [command("init", "project"), command("init", "builtin"), command("cost", "user"), ...commands];
    expect(findCommand("init", shared).source).toBe("builtin");
    expect(findCommand("cost", shared).source).toBe("user");
  });

  it("of what is not there fails with a kind of its own", () => {
    expect(() => findCommand("nope", commands)).toThrow(
      expect.objectContaining({ kind: "command_not_found", target: "nope" }),
    );
    expect(() => findTool("", [])).toThrow(expect.objectContaining({ kind: "tool_not_found", target: "" }));
  });
});

function command(name: string, source: OfferedCommand["source"]): OfferedCommand {
  const rest = { description: "", argument_hint: "", aliases: [], plugin: null, is_skill: false };
  return { name, source, ...rest, is_terminal_only: false };
}

function told(name: string, rest: object): object {
  return { name, description: "", source: "native", server: null, aliases: [], input_schema: {}, ...rest };
}
