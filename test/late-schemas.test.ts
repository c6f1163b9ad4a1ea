import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import * as source from "../src/cli/index.ts";

it("the bundle, which makes schemas when they are looked at, describes each command as the source does", async () => {
  // `npm test` builds it first.
  const bundle = (await import(pathToFileURL(resolve("dist/cli/index.js")).href)) as typeof source;
  expect(await describeAll(bundle)).toEqual(await describeAll(source));
});

async function describeAll({ COMMAND_NAMES, loadCommand, describeCommand, describeTurnEvents }: typeof source) {
  const commands = await Promise.all(COMMAND_NAMES.map(loadCommand));
  return [commands.map((command) => describeCommand(command)), describeTurnEvents()];
}
