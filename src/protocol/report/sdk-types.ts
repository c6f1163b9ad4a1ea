import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { findPackage } from "./package-facts.ts";

export const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";

export interface SdkTypes {
  readonly options: readonly string[];
  readonly hookEvents: readonly string[];
  readonly messageTypes: readonly string[];
  readonly systemSubtypes: readonly string[];
}

export function readSdkTypes(): SdkTypes {
  const folder = findPackage(SDK_PACKAGE);
  if (folder === undefined) throw unreadable("is not installed");
  return parseSdkTypes(readFileSync(join(folder, "sdk.d.ts"), "utf8"));
}

/** Finds the names in the text of the declarations. A text in which some are not found is not compared with anything. */
export function parseSdkTypes(declarations: string): SdkTypes {
  const text = declarations.replaceAll("\r\n", "\n");
  const messages = membersOf("SDKMessage", text).map((name) => declarationOf(name, text));
  const types = {
    options: names(declarationOf("Options", text), /^ {4}(\w+)\??:/gmu),
    hookEvents: names(declarationOf("HOOK_EVENTS", text, "const"), /'(\w+)'/gu),
    messageTypes: messages.flatMap((message) => names(message, /^ {4}type: '(\w+)'/gmu)),
    systemSubtypes: messages
      .filter((message) => /^ {4}type: 'system'/mu.test(message))
      .flatMap((message) => names(message, /^ {4}subtype: '(\w+)'/gmu)),
  };
  const [missing] = Object.entries(types).find(([, found]) => found.length === 0) ?? [];
  if (missing !== undefined) throw unreadable(`declares its ${missing} in a way that is not understood`);
  return { ...types, messageTypes: [...new Set(types.messageTypes)] };
}

/** The types that a union is made of, in whole. */
function membersOf(name: string, text: string): readonly string[] {
  const declared = declarationOf(name, text);
  if (declared.includes("{")) return [name];
  const members = declared.slice(declared.indexOf("=") + 1).match(/\w+/gu) ?? [];
  return members.flatMap((member) => membersOf(member, text));
}

/** A declaration from its name to its end: the closing brace, or the end of its line. */
function declarationOf(name: string, text: string, kind: "type" | "const" = "type"): string {
  const start = text.search(new RegExp(`^export declare ${kind} ${name}\\b`, "mu"));
  if (start === -1) throw unreadable(`does not declare ${name}`);
  const line = text.slice(start, text.indexOf("\n", start));
  if (!line.endsWith("{")) return line;
  return text.slice(start, text.indexOf("\n};", start));
}

function names(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))];
}

function unreadable(why: string): SkeinError {
  return new SkeinError(`${SDK_PACKAGE} ${why}`, {
    kind: "config",
    target: SDK_PACKAGE,
    hint: "Install Skein's dependencies again; a much newer SDK may declare things elsewhere",
  });
}
