/**
 * How often a costly property is tried: `few` times by `npm test`, `all` by `npm run test:slow`, which runs every `*.property.test.ts` too.
 */
export function propertyRuns({ few, all }: { readonly few: number; readonly all: number }): number {
  return process.env["SKEIN_ALL_PROPERTY_RUNS"] === "1" ? all : few;
}
