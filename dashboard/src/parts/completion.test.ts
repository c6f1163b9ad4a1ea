import { expect, it } from "vitest";
import { complete, completingAt } from "./completion.ts";

it("completes a file after @ at the beginning of a word, and a command after / at the beginning of a prompt", () => {
  expect(completingAt("Look at @src/ca", 15)).toEqual({ kind: "files", words: "src/ca", start: 8, end: 15 });
  expect(completingAt("@", 1)).toEqual({ kind: "files", words: "", start: 0, end: 1 });
  expect(completingAt("/rev", 4)).toEqual({ kind: "commands", words: "rev", start: 0, end: 4 });
  expect(completingAt("me@home", 7)).toBeUndefined();
  expect(completingAt("src/a", 5)).toBeUndefined();
  expect(completingAt("/review the", 11)).toBeUndefined();
  expect(completingAt("@a.ts now", 9)).toBeUndefined();
});

it("puts what was chosen in place of the word, and goes on after it", () => {
  const text = "Look at @src/cart.ts, please";
  const files = completingAt(text, 12);
  if (!files) throw new Error("It is being completed");
  expect(complete(text, files, "src/basket.ts")).toEqual({ text: "Look at @src/basket.ts please", caret: 23 });
  const commands = completingAt("/re", 3);
  if (!commands) throw new Error("It is being completed");
  expect(complete("/re", commands, "review")).toEqual({ text: "/review ", caret: 8 });
});
