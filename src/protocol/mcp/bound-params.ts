import { resolve } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { BUILT_IN_SCENARIOS } from "../../offline/index.ts";
import { usageError } from "../command/parse-args.ts";
import type { LoadedTool } from "./describe-mcp-tool.ts";
import type { McpBounds } from "./mcp-bounds.ts";
import { powerFlag, type Power } from "./mcp-powers.ts";

type Given = Readonly<Record<string, unknown>>;

/** What a model gave a tool, made fit for its command: closed fields are refused, and what was left out stays in the bounds. */
export function boundParams(tool: LoadedTool, given: Given, { root, powers }: McpBounds): Given {
  const closed = Object.keys(given).find((field) => !tool.fields.includes(field));
  if (closed !== undefined) throw closedField(tool, closed);
  const missing = tool.required?.find((field) => given[field] === undefined);
  if (missing !== undefined) throw usageError("mcp", `${missing} is missing`, { target: missing });
  const { offline, cwd } = given;
  if (typeof offline === "string" && !powers.allowModules && !Object.hasOwn(BUILT_IN_SCENARIOS, offline)) {
    throw notAllowed(`The scenario ${offline} is a file`, { target: offline, power: "allowModules" });
  }
  if (!tool.fields.includes("cwd")) return given;
  return { ...given, cwd: typeof cwd === "string" ? resolve(root, cwd) : (cwd ?? root) };
}

/** A field that a flag would open is told with the flag; any other is a mistake. */
function closedField({ name, fields, opens = {} }: LoadedTool, field: string): SkeinError {
  const power = (Object.keys(opens) as Power[]).find((each) => opens[each]?.includes(field));
  if (power !== undefined) return notAllowed(`${name} does not take ${field} here`, { target: field, power });
  const hint = `It takes ${fields.join(", ")}.`;
  return new SkeinError(`${name} takes no ${field}`, { kind: "usage", target: field, hint });
}

function notAllowed(
  message: string,
  { target, power }: { readonly target: string; readonly power: Power },
): SkeinError {
  return new SkeinError(`${message}: skein mcp was started without ${powerFlag(power)}`, {
    kind: "policy",
    target,
    hint: "Only whoever starts skein mcp can allow it",
  });
}
