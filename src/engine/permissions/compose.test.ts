import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compose, firstOf, type PermissionDecision, type PermissionPolicy } from "./permission-policy.ts";

const request = { tool: "Bash", input: { command: "ls" }, toolUseId: "1", signal: new AbortController().signal };
const always =
  (decision: PermissionDecision): PermissionPolicy =>
  () =>
    decision;
const [allow, pass] = [always({ type: "allow" }), always({ type: "pass" })];
const deny = always({ type: "deny", message: "no" });
const rewrite = always({ type: "allow", input: { command: "rm x" } });
const noRm: PermissionPolicy = ({ input }) =>
  String(input["command"]).startsWith("rm") ? { type: "deny", message: "no rm" } : { type: "pass" };

describe("composed policies", () => {
  it("deny if any denies, else allow if any allows, else have no opinion", async () => {
    const one = fc.constantFrom(allow, deny, pass);
    await fc.assert(
      fc.asyncProperty(fc.array(one), async (policies) => {
        const expected = policies.includes(deny) ? "deny" : policies.includes(allow) ? "allow" : "pass";
        expect((await compose(...policies)(request)).type).toBe(expected);
      }),
    );
  });

  it("take the first allow's input", async () => {
    const other = always({ type: "allow", input: { command: "pwd" } });
    expect(await compose(pass, other, rewrite)(request)).toEqual({ type: "allow", input: { command: "pwd" } });
  });

  it.each([
    ["before", compose(noRm, rewrite)],
    ["after", compose(rewrite, noRm)],
  ])("have a rewritten input judged by the policies %s the one that wrote it", async (_, policy) => {
    expect(await policy(request)).toEqual({ type: "deny", message: "no rm" });
  });

  it("do not ask those after a deny", async () => {
    const never: PermissionPolicy = () => expect.unreachable();
    expect((await compose(deny, never)(request)).type).toBe("deny");
  });
});

describe("the first of several policies", () => {
  it("with an opinion decides, and those after it are not asked", async () => {
    const never: PermissionPolicy = () => expect.unreachable();
    expect((await firstOf(pass, allow, never)(request)).type).toBe("allow");
    expect((await firstOf(pass, deny, never)(request)).type).toBe("deny");
    expect((await firstOf(pass, pass)(request)).type).toBe("pass");
  });
});
