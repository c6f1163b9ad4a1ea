import { deepStrictEqual } from "node:assert/strict";
import { afterAll } from "vitest";

/** Set by the Claude Agent SDK for the whole process when it is loaded. */
const SDK_VARIABLES = ["CLAUDE_AGENT_SDK_VERSION", "NoDefaultCurrentDirectoryInExePath"];

// Files share their worker's process: what one leaves changed would make another one fail, somewhere else.
const before = { cwd: process.cwd(), user: process.geteuid?.(), env: { ...process.env } };

afterAll(() => {
  const names = new Set([...Object.keys(before.env), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => process.env[name] !== before.env[name]);
  const found = {
    cwd: process.cwd(),
    user: process.geteuid?.(),
    changed: changed.filter((name) => !SDK_VARIABLES.includes(name) && !name.startsWith("VITEST")),
  };
  deepStrictEqual(found, { cwd: before.cwd, user: before.user, changed: [] });
});
