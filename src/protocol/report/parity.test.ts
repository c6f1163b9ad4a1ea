import { describe, expect, it } from "vitest";
import { SkeinError } from "../../core/index.ts";
import { findParity } from "./parity.ts";
import { parseSdkTypes, readSdkTypes } from "./parity.ts";

const DECLARATIONS = [
  "export declare type Options = {",
  "    /** The folder. */",
  "    cwd?: string;",
  "    brandNew: {",
  "        inner: string;",
  "    };",
  "};",
  "export declare const HOOK_EVENTS: readonly ['Stop', 'Sneeze'];",
  "export declare type SDKMessage = SDKUserMessage | SDKResultMessage | SDKSystemMessage | SDKUserReplay;",
  "export declare type SDKResultMessage = SDKResultSuccess | SDKResultError;",
  "export declare type SDKResultSuccess = {",
  "    type: 'result';",
  "};",
  "export declare type SDKResultError = {",
  "    type: 'telepathy';",
  "};",
  "export declare type SDKUserMessage = {",
  "    type: 'user';",
  "};",
  "export declare type SDKUserReplay = {",
  "    type: 'user';",
  "};",
  "export declare type SDKSystemMessage = {",
  "    type: 'system';",
  "    subtype: 'init';",
  "};",
  "",
];

const FOUND = {
  options: ["cwd", "brandNew"],
  hookEvents: ["Stop", "Sneeze"],
  messageTypes: ["user", "result", "telepathy", "system"],
  systemSubtypes: ["init"],
};

describe("the declarations of an SDK", () => {
  it.each(["\n", "\r\n"])("are read with lines that end in %j", (end) => {
    expect(parseSdkTypes(DECLARATIONS.join(end))).toEqual(FOUND);
  });

  it.each(["Options", "HOOK_EVENTS", "SDKMessage", "SDKResultError"])("without %s are an error, not parity", (name) => {
    const without = DECLARATIONS.filter((line) => !line.startsWith(`export declare type ${name} `));
    const text = without.filter((line) => !line.includes(`const ${name}`)).join("\n");
    expect(() => parseSdkTypes(text)).toThrow(SkeinError);
    expect(() => parseSdkTypes(text)).toThrow(name);
  });

  it("in which nothing is found under a name are an error, not parity", () => {
    const text = DECLARATIONS.join("\n").replace("subtype", "kind");
    expect(() => parseSdkTypes(text)).toThrow(/systemSubtypes/u);
  });
});

describe("parity", () => {
  it("names what is offered and not known", () => {
    const sections = findParity({ ...FOUND, tools: ["Bash", "Fly"], recordTypes: ["user", "dream"] });
    expect(Object.fromEntries(sections.map(({ name, ...rest }) => [name, rest]))).toEqual({
      message_types: section("the SDK's declarations", [4, 3], ["telepathy"]),
      system_subtypes: section("the SDK's declarations", [1, 1], []),
      hook_events: section("the SDK's declarations", [2, 1], ["Sneeze"]),
      options: section("the SDK's declarations", [2, 1], ["brandNew"]),
      tools: section("a request of the CLI", [2, 1], ["Fly"]),
      record_types: section("a transcript of the CLI", [2, 1], ["dream"]),
    });
  });

  it("holds for the hook events, the messages and the options of the installed SDK", () => {
    const types = readSdkTypes();
    const found = new Map(findParity({ ...types, tools: [], recordTypes: [] }).map((one) => [one.name, one]));
    expect(found.get("hook_events")?.new).toEqual([]);
    expect(found.get("system_subtypes")?.new).toEqual([]);
    expect(found.get("message_types")?.new).toEqual([]);
    expect(found.get("options")?.new).toEqual([]);
    expect(found.get("options")?.renamed).toEqual({
      abortController: "signal",
      allowDangerouslySkipPermissions: "permissionMode",
      debug: "debugFile",
      maxBudgetUsd: "maxCostUsd",
      maxThinkingTokens: "thinking",
      maxTurns: "maxResponses",
      outputFormat: "outputSchema",
      pathToClaudeCodeExecutable: "cliPath",
      spawnClaudeCodeProcess: "ProcessManager",
    });
  });
});

function section(foundIn: string, [offered, known]: readonly [number, number], unknown: readonly string[]): object {
  return { found_in: foundIn, offered_count: offered, known_count: known, new: unknown, renamed: {} };
}
