import { z } from "zod";
import type { StateStore } from "../states/state-store.ts";
import { tryJson } from "../../git/index.ts";

/** The part of `state.json` that a restore goes by. */
const LeftOutFile = z.object({ leftOut: z.array(z.object({ path: z.string() })) });

/** The paths that a state's capture had left out; none where its writer did not tell. */
export async function leftOutOf(states: StateStore, id: string): Promise<readonly string[]> {
  const text = await states.file(await states.read(id), "state.json");
  const parsed = LeftOutFile.safeParse(tryJson(text ?? ""));
  return parsed.success ? parsed.data.leftOut.map(({ path }) => path) : [];
}
