import { otherFacts, textOf, toLines } from "./call-fields.ts";
import type { DescribedCall, Fact } from "./described-call.ts";
import { describeFile } from "./describe-file.ts";

/** Where a call is made. */
export interface CallPlace {
  readonly cwd: string;
  /** Whether commands run in a sandbox unless they ask not to. */
  readonly isSandboxed: boolean;
}

/** Says what a call would do: all of its input, the telling part of it as people read it. */
export async function describeCall(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  place: CallPlace,
): Promise<DescribedCall> {
  switch (tool) {
    case "Bash":
      return describeCommand("run a command", input, place);
    case "SandboxNetworkAccess":
      return {
        ...describeOther(tool, input),
        action: "let the running sandboxed command reach a host",
        warnings: ["Outside the sandbox"],
      };
    case "Monitor":
      return describeMonitor(input, place);
    case "WebFetch":
    case "WebSearch":
      return describeWeb(tool, input);
    default:
      return (await describeFile(tool, input, place.cwd)) ?? describeOther(tool, input);
  }
}

function describeCommand(
  action: string,
  input: Readonly<Record<string, unknown>>,
  { isSandboxed }: CallPlace,
): DescribedCall {
  const leaves = input["dangerouslyDisableSandbox"] !== undefined && input["dangerouslyDisableSandbox"] !== false;
  const isConfined = isSandboxed && !leaves;
  const open = "with the network and all your files, including your keys";
  return {
    action: isConfined ? `${action} in the sandbox` : action,
    warnings: isConfined ? [] : [leaves ? `Outside the sandbox, ${open}` : `Without a sandbox, ${open}`],
    isRisky: leaves,
    facts: otherFacts(input, ["command"]),
    body: toLines(input["command"]),
  };
}

function describeMonitor(input: Readonly<Record<string, unknown>>, place: CallPlace): DescribedCall {
  const socket = input["ws"];
  if (typeof socket !== "object" || socket === null) {
    return describeCommand("run a command and watch its output", input, place);
  }
  const { url, ...rest } = socket as Readonly<Record<string, unknown>>;
  return {
    action: "open a connection and watch it",
    warnings: ["Outside the sandbox"],
    isRisky: true,
    facts: [...hostFacts(url), ...otherFacts(rest, []), ...otherFacts(input, ["ws"])],
    body: toLines(url),
  };
}

function describeWeb(tool: string, input: Readonly<Record<string, unknown>>): DescribedCall {
  const { url, query, ...rest } = input;
  return {
    action: tool === "WebFetch" ? "fetch a page" : "search the web",
    warnings: ["Outside the sandbox"],
    isRisky: false,
    facts: [...(url === undefined ? [] : hostFacts(url)), ...otherFacts(rest, [])],
    body: toLines(url ?? query ?? ""),
  };
}

/** Whom an address reaches, as the network reads it. */
function hostFacts(url: unknown): readonly Fact[] {
  const text = textOf(url);
  if (!URL.canParse(text)) return [{ name: "Host", value: "cannot be read from the address" }];
  const { host, username, password } = new URL(text);
  const login = username === "" && password === "" ? [] : [{ name: "Login", value: "the address carries one" }];
  return [{ name: "Host", value: host }, ...login];
}

function describeOther(tool: string, input: Readonly<Record<string, unknown>>): DescribedCall {
  const body = Object.entries(input).flatMap(([name, value]) => {
    const lines = toLines(value);
    return lines.length === 1
      ? [{ text: `${name}: ${lines[0]?.text ?? ""}` }]
      : [{ text: `${name}:` }, ...lines.map(({ text }) => ({ text: `  ${text}` }))];
  });
  return {
    action: tool.startsWith("mcp__") ? "call a tool of an MCP server" : "be used",
    warnings: [],
    isRisky: false,
    facts: [],
    body,
  };
}
