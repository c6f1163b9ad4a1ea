import { expect, it } from "vitest";
import { describeWith } from "./require-package.ts";

describeWith({ command: "node", package: "nodejs" }, "a suite whose command is there", () => {
  it("runs", () => {
    expect(process.release.name).toBe("node");
  });
});

it("fails where everything is required and a command is missing", () => {
  const before = process.env["SKEIN_REQUIRE_ALL"];
  process.env["SKEIN_REQUIRE_ALL"] = "1";
  try {
    const required = [
      { command: "node", package: "nodejs" },
      { command: "no-such-command", package: "no-such-package" },
    ];
    expect(() => describeWith(required, "a suite", () => {})).toThrow(
      '"a suite" needs no-such-command; install the Debian packages: no-such-package',
    );
  } finally {
    if (before === undefined) delete process.env["SKEIN_REQUIRE_ALL"];
    else process.env["SKEIN_REQUIRE_ALL"] = before;
  }
});
