import { expect, it } from "vitest";
import { dataHome } from "./homes.ts";

it("is SKEIN_HOME, or the platform's folder for user data", () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string>) => dataHome({ env, platform, home: "/home/ada" });
  expect([
    at("linux", {}),
    at("linux", { XDG_DATA_HOME: "/data" }),
    at("darwin", { XDG_DATA_HOME: "/data" }),
    at("linux", { SKEIN_HOME: "/skein", XDG_DATA_HOME: "/data" }),
  ]).toEqual(["/home/ada/.local/share/skein", "/data/skein", "/home/ada/Library/Application Support/skein", "/skein"]);
});
