import { expect, it } from "vitest";
import { refusePlugAndPlay } from "./refuse-plug-and-play.ts";

it("refuses Yarn's Plug'n'Play and names the linker to set", () => {
  expect(() => refusePlugAndPlay({ node: "20.20.2", pnp: "3" })).toThrow(
    expect.objectContaining({
      kind: "config",
      target: "nodeLinker",
      hint: expect.stringContaining("nodeLinker: node-modules"),
    }),
  );
});

it("lets packages in folders through", () => {
  expect(refusePlugAndPlay({ node: "20.20.2" })).toBeUndefined();
});
