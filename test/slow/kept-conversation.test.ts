import { describe, it } from "vitest";
import { faces } from "../support/kept-conversation/faces.ts";
import { runKeptModel } from "../support/kept-conversation/run-kept-model.ts";

/** Another seed tries other conversations; a failure names its own. */
const SEED = Number(process.env["SKEIN_MODEL_SEED"] ?? 20_261_116);
/** How many conversations are held for each seed. */
const RUNS = Number(process.env["SKEIN_MODEL_RUNS"] ?? 6);
const SEEDS = [SEED, SEED + 1, SEED + 2];

describe.each(faces)("%s", (_, start) => {
  it.each(SEEDS)(
    "does what the model foretells, whatever is done with it (seed %d)",
    async (seed) => {
      await runKeptModel(start, { runs: RUNS, maxCommands: 20, seed });
    },
    900_000,
  );
});
