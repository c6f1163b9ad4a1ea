/** The items that pass a test which takes its time, asked one after the other. */
export async function filterAsync<Item>(
  items: Iterable<Item>,
  passes: (item: Item) => Promise<boolean>,
): Promise<readonly Item[]> {
  const passed: Item[] = [];
  for (const item of items) if (await passes(item)) passed.push(item);
  return passed;
}
