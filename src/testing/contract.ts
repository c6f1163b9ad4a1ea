/** Sentences about something, and how each is checked. */
export type Contract<Check> = readonly { readonly name: string; readonly check: Check }[];

/** Makes a contract of checks by their sentences. */
export function contractOf<Check>(checks: Readonly<Record<string, Check>>): Contract<Check> {
  return Object.entries(checks).map(([name, check]) => ({ name, check }));
}
