import { expect, it } from "vitest";
import { drawGraph, graphOrder } from "./state-graph.ts";

/** Draws states given newest first as `child<parent`, each with its name as its mark. */
function draw(...states: string[]): string {
  const nodes = states.map((state) => {
    const [id = "", parentId] = state.split("<");
    return { id, parentId, mark: id };
  });
  return drawGraph(graphOrder(nodes))
    .map(({ lanes }) => `${lanes.trimEnd()}\n`)
    .join("");
}

it("draws one path as one lane", () => {
  expect(draw("c<b", "b<a", "a")).toBe("c\nb\na\n");
});

it("draws a lane for each path, and lets them meet where they part", () => {
  expect(draw("e<b", "d<c", "c<b", "b<a", "a")).toBe(`e
│ d
│ c
├─╯
b
a
`);
});

it("lets three paths meet in one state, and others pass through between them", () => {
  expect(draw("h<a", "g<f", "e<a", "d<a", "f<b", "a<b", "b")).toBe(`h
│ g
│ │ e
│ │ │ d
│ f │ │
├─┼─┴─╯
a │
├─╯
b
`);
});

it("uses a lane again that has come to its end", () => {
  expect(draw("d<c", "b", "c", "a")).toBe(`d
│ b
c
a
`);
});

it("draws a state after all that came from it, whatever their clocks say", () => {
  expect(draw("a", "c<b", "b<a")).toBe("c\nb\na\n");
});
