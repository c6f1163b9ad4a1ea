import { startAgentFace } from "./agent-face.ts";
import { startClientFace } from "./client-face.ts";
import type { Face } from "./face.ts";
import type { Setup } from "./kept-parts.ts";
import { startMessagesFace } from "./messages-face.ts";

/** All the ways to hold a conversation that keeps its process. */
export const faces: readonly (readonly [name: string, start: (setup: Setup) => Promise<Face>])[] = [
  ["a client whose responses are read one by one", startClientFace],
  ["a client whose messages are read without an end", startMessagesFace],
  ["an agent whose turns are recorded", startAgentFace],
];
