import { describe, expect, test } from "vitest";
import { SkeinError } from "../core/index.ts";
import { IsolationConfig } from "./isolation-config.ts";
import { allowsHost, NetworkPolicy } from "./network-policy.ts";
import { SandboxConfig } from "./sandbox-config.ts";

describe("an isolation", () => {
  test("confines where nothing is said, and cannot be changed", () => {
    const config = IsolationConfig();
    expect(config).toEqual({
      networkPolicy: { allowedDomains: [], allowLocalBinding: false },
      sandbox: {
        enabled: true,
        writablePaths: [],
        readablePaths: [],
        deniedPaths: [],
        excludedCommands: [],
        allowUnsandboxedCommands: false,
        bashAutoAllow: true,
        enableWeakerNestedSandbox: false,
        maxProcesses: 256,
      },
      env: {},
      includeHostEnv: false,
    });
    expect([config, config.sandbox, config.networkPolicy].every((record) => Object.isFrozen(record))).toBe(true);
  });

  test("is the same when it is made of itself", () => {
    const config = IsolationConfig({ apiKey: "key", networkPolicy: NetworkPolicy.withDomains("pypi.org") });
    expect(IsolationConfig(config)).toEqual(config);
  });

  test.each([
    [() => NetworkPolicy.withDomains("https://pypi.org"), "NetworkPolicy.allowedDomains.0"],
    [() => NetworkPolicy.withDomains("pypi.org:443"), "NetworkPolicy.allowedDomains.0"],
    [() => NetworkPolicy.withDomains("pypi.org", "a/b"), "NetworkPolicy.allowedDomains.1"],
    [() => SandboxConfig({ writablePaths: ["relative"] }), "SandboxConfig.writablePaths.0"],
    [() => SandboxConfig({ readablePaths: ["/a/../b"] }), "SandboxConfig.readablePaths.0"],
    [() => SandboxConfig({ deniedPaths: ["/a/*"] }), "SandboxConfig.deniedPaths.0"],
    [() => SandboxConfig({ maxProcesses: 0 }), "SandboxConfig.maxProcesses"],
    [() => SandboxConfig({ readable: [] } as never), "SandboxConfig"],
    [() => IsolationConfig({ env: { HOME: "/root" } }), "IsolationConfig.env.HOME"],
    [() => IsolationConfig({ apiKey: "" }), "IsolationConfig.apiKey"],
    [() => IsolationConfig({ apiKey: "a", oauthToken: "b" }), "IsolationConfig.oauthToken"],
    [() => IsolationConfig({ sandbox: { enabled: false } }), "IsolationConfig.networkPolicy"],
    [() => IsolationConfig({ networkPolicy: { allowedDomains: [""] } }), "NetworkPolicy.allowedDomains.0"],
  ])("is refused with the name of what is wrong: %s", (make, target) => {
    expect(make).toThrow(SkeinError);
    expect(make).toThrow(expect.objectContaining({ kind: "usage", target }));
  });
});

test.each([
  ["docs.python.org", true],
  ["DOCS.python.org", true],
  ["python.org", false],
  ["a.pypi.org", true],
  ["pypi.org", false],
  ["evil-pypi.org", false],
])("a policy tells whether a host is allowed: %s", (host, isAllowed) => {
  expect(allowsHost(NetworkPolicy.withDomains("docs.python.org", "*.pypi.org"), host)).toBe(isAllowed);
});
