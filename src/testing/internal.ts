// What other rooms use of this one; users have `index.ts`.
export { collect } from "./engine-contract.ts";
export type { FakeClock } from "./fake-clock.ts";
export type { MemoryWorld } from "./memory-environment.ts";
