import { createEngine, type Engine } from "../../src/engine/index.ts";
import { createFakeEngine } from "../../src/testing/index.ts";

/** An engine that notes what it was asked. */
export interface SpyEngine {
  readonly engine: Engine;
  readonly asked: Parameters<Engine["stream"]>[];
}

/** Puts a spy before an engine; before one that echoes, unless told otherwise. */
export function createSpyEngine(engine: Engine = createFakeEngine(({ text }) => `echo: ${text}`)): SpyEngine {
  const asked: Parameters<Engine["stream"]>[] = [];
  const stream: Engine["stream"] = (...args) => {
    asked.push(args);
    return engine.stream(...args);
  };
  return { engine: createEngine(stream), asked };
}
