/** Runs a generator to its end, and gives what it returns. */
export async function drain<Result>(generator: AsyncGenerator<unknown, Result, void>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return value;
  }
}
