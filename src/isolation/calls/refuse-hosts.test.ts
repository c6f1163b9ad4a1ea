import { describe, expect, test } from "vitest";
import { NetworkPolicy } from "../network-policy.ts";
import { refuseHosts, toolsWithoutNetwork } from "./refuse-hosts.ts";

const ask = (policy: NetworkPolicy, tool: string, input: object): unknown =>
  refuseHosts(policy)({ tool, input: input as Record<string, unknown>, cwd: "/" });
const socket = (url: string): object => ({ ws: { url } });

describe("connections that the CLI makes itself", () => {
  test.each([
    ["Monitor", socket("ws://127.0.0.1:1/")],
    ["Monitor", { command: "true", ...socket("wss://evil.example/") }],
    ["Monitor", { ws: null }],
    ["Monitor", {}],
    ["WebFetch", { url: "http://127.0.0.1/" }],
    ["WebFetch", { url: 7 }],
    ["WebSearch", { query: "x" }],
  ])("are refused beyond the policy: %s %j", (tool, input) => {
    expect(ask(NetworkPolicy.noNetwork(), tool, input)).toContain("not among the allowed domains");
    expect(ask(NetworkPolicy.withDomains("docs.example"), tool, input)).toContain("not among the allowed domains");
    expect(ask(NetworkPolicy.withDomains("*"), tool, input)).toBeUndefined();
  });

  test("go to an allowed domain, and a command is not one of them", () => {
    const policy = NetworkPolicy.withDomains("docs.example");
    expect(ask(policy, "Monitor", socket("wss://docs.example/feed"))).toBeUndefined();
    expect(ask(policy, "WebFetch", { url: "https://docs.example/page" })).toBeUndefined();
    expect(ask(NetworkPolicy.noNetwork(), "Monitor", { command: "tail -f log" })).toBeUndefined();
  });

  test("are not offered where the policy leaves them nothing", () => {
    const policies = [NetworkPolicy.noNetwork(), NetworkPolicy.withDomains("a.b"), NetworkPolicy.withDomains("*")];
    expect(policies.map(toolsWithoutNetwork)).toEqual([["WebFetch", "WebSearch"], ["WebSearch"], []]);
  });
});
