import { expect, it } from "vitest";
import { findWorkingDirectory } from "./conversation.ts";

const told = (directory: string): { content: string } => ({
  content: `Environment:\n - Primary working directory: ${directory}\n - Platform: linux`,
});

it("is the one that the CLI told last, without what it was before", () => {
  expect(findWorkingDirectory({ messages: [told("/a"), { content: "hello" }] })).toBe("/a");
  expect(findWorkingDirectory({ messages: [told("/a"), told("/b (was /a)")] })).toBe("/b");
  expect(findWorkingDirectory({ messages: [told("/a (was my own) name")] })).toBe("/a (was my own) name");
  expect(findWorkingDirectory({ messages: [{ content: "hello" }] })).toBeUndefined();
});
