// What commands really print: the screens that `npm run screens` plays, compares and, with --update, renews.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VIEWS } from "../screens/views.mjs";

const COLUMNS = 100;

/** The first view of the command that succeeded: what was typed, and what was shown. */
export function screenOf(name, root) {
  const words = `skein ${name}`;
  const view =
    VIEWS.find(({ command }) => command === words) ?? VIEWS.find(({ command }) => command.startsWith(`${words} `));
  if (!view) return undefined;
  const blocks = readFileSync(join(root, "test", "screens", `${view.name}.txt`), "utf8").split(/^── /mu);
  const block = blocks.find((one) => one.startsWith(`${COLUMNS} columns: `));
  const text = block?.slice(block.indexOf("\n") + 1);
  return text === undefined ? undefined : { command: view.command, text };
}
