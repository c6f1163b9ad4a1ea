import { expect, it } from "vitest";
import { z } from "zod";
import type { Command } from "./command.ts";
import { meantField, ownFlag } from "./own-word.ts";

const args = z.object({ maxResponses: z.number(), cwd: z.string(), prompt: z.string() });
const command = { name: "run", summary: "", args, positional: ["prompt"], data: z.object({}) } as unknown as Command;

it("knows a command's word for what other tools call otherwise, where the command has it", () => {
  const typed = ["--max-turns", "--directory=x", "-p", "--max-budget-usd", "--other"];
  expect(typed.map((flag) => ownFlag(flag, command))).toEqual([
    "--max-responses",
    "--cwd",
    "the prompt alone, without -p",
    undefined,
    undefined,
  ]);
});

it("knows the field that a program meant, by another tool's word, in camelCase, or misspelt", () => {
  const fields = ["max_responses", "cwd", "prompt"];
  const given = ["max_turns", "directory", "maxResponses", "max_response", "max_budget_usd", "zzz"];
  expect(given.map((field) => meantField(field, fields))).toEqual([
    "max_responses",
    "cwd",
    "max_responses",
    "max_responses",
    undefined,
    undefined,
  ]);
});
