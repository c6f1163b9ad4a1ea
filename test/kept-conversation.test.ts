import { it } from "vitest";
import { faces } from "./support/kept-conversation/faces.ts";
import { runKeptModel } from "./support/kept-conversation/run-kept-model.ts";

it.each(faces)("%s does what the model foretells, whatever is done with it", async (_, start) => {
  await runKeptModel(start, { runs: 1, maxCommands: 16, seed: 7 });
});
