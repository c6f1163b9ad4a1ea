import { expect, it } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import { OutputError } from "./output-shape.ts";
import fc from "fast-check";

const Answer = z.object({ items: z.array(z.object({ id: z.int(), label: z.string().max(5) })).max(3) });

/** Objects as a model may write them: some fit the schema, some only its JSON Schema, some neither. */
const answers = fc.sample(
  fc.record(
    {
      items: fc.oneof(
        fc.array(fc.record({ id: fc.integer(), label: fc.string({ maxLength: 8 }) }), { maxLength: 4 }),
        fc.jsonValue(),
      ),
      more: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  { seed: 6, numRuns: 12 },
);

it("gives a valid answer or a typed error by the CLI too, whatever the model writes", async () => {
  await using bench = await startPromptBench({
    rules: answers.map((answer, index) => ({
      when: { prompt: `answer ${index}\\.` },
      steps: [{ output: answer }, { say: "Done." }],
    })),
  });
  const adapter = bench.adapter({ maxRounds: 0, maxResponses: 6 });
  const ends: unknown[] = [];
  for (const index of answers.keys()) {
    const prompt = samplePrompt({ output: Answer, text: `answer ${index}.` });
    const evaluated = adapter.evaluate(prompt, { session: bench.session });
    ends.push(await evaluated.then(({ output }) => output).catch((error: unknown) => error instanceof OutputError));
  }
  const wanted = answers.map((answer) => Answer.safeParse(answer).data ?? true);
  expect(ends).toEqual(wanted);
  expect(wanted.filter((end) => end === true).length).toBeGreaterThan(2);
  expect(wanted.filter((end) => end !== true).length).toBeGreaterThan(2);
});
