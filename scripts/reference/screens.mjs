// What commands really print: the screens that `npm run screens` plays, compares and, with --update, renews; of the commands that it does
// not show, what `node scripts/capture-outputs.mjs` kept.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VIEWS } from "../screens/views.mjs";

const COLUMNS = 100;

/** The first view of the command that succeeded: what was typed, and what was shown. */
export function screenOf(name, root) {
  const words = `skein ${name}`;
  const view =
    VIEWS.find(({ command }) => command === words) ?? VIEWS.find(({ command }) => command.startsWith(`${words} `));
  if (!view) return capturedOf(name, root);
  const blocks = readFileSync(join(root, "test", "screens", `${view.name}.txt`), "utf8").split(/^── /mu);
  const block = blocks.find((one) => one.startsWith(`${COLUMNS} columns: `));
  const text = block?.slice(block.indexOf("\n") + 1);
  return text === undefined ? undefined : { command: view.command, text };
}

function capturedOf(name, root) {
  const path = join(root, "scripts", "reference", "outputs", `${name}.txt`);
  if (!existsSync(path)) return undefined;
  const [command, ...lines] = readFileSync(path, "utf8").split("\n");
  return { command, text: lines.join("\n") };
}
