import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeltaRedactor } from "./turn-redactor.ts";
import { findSecrets, replaceSecrets, secretsOfVariables, toSecretFinder } from "./find-secrets.ts";
import { SECRET_PATTERNS } from "../../core/index.ts";

const environment = secretsOfVariables({ PASSPHRASE: 'correct horse\n"battery" staple' }, ["PASSPHRASE"]);
const finders = [...environment, ...SECRET_PATTERNS].map(toSecretFinder);
const whole = (text: string): string => replaceSecrets(text, findSecrets(text, finders));

const token = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${length}}$`));
const secret = fc.oneof(
  token(40).map((body) => `sk-ant-${body}`),
  token(36).map((body) => `ghp_${body}`),
  token(24).map((body) => `Bearer 7${body}`),
  token(8).map((body) => `postgres://app:${body}@db/app`),
  token(64).map((body) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`),
  fc.constant('correct horse\n"battery" staple'),
  fc.constant(String.raw`correct horse\n\"battery\" staple`),
);
const prose = fc.oneof(
  fc.lorem({ maxCount: 8 }),
  fc.string(),
  fc.constantFrom("sk-", "sk-ant-", "-----BEGIN ", "Bearer ", "://a:b", "correct ", "gh", "\n"),
);
const text = fc.array(fc.oneof(prose, secret), { maxLength: 8 }).map((parts) => parts.join(" "));

/** The text in pieces, cut at the given places. */
function inPieces(from: string, places: readonly number[]): readonly string[] {
  const cuts = [0, ...places.map((place) => place % (from.length + 1)).toSorted((a, b) => a - b), from.length];
  return cuts.slice(1).map((end, index) => from.slice(cuts[index], end));
}

describe("the delta redactor", () => {
  it("gives in pieces what it would give for the whole, wherever the text is cut", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 40 }), (written, places) => {
        const redactor = createDeltaRedactor(finders);
        const shown = inPieces(written, places).map((piece) => redactor.push(piece));
        expect([...shown, redactor.flush(written)].join("")).toBe(whole(written));
      }),
      { numRuns: 500 },
    );
  });

  it("gives the same letter by letter", () => {
    fc.assert(
      fc.property(text, (written) => {
        const redactor = createDeltaRedactor(finders);
        const shown = [...written].map((piece) => redactor.push(piece));
        expect([...shown, redactor.flush(written)].join("")).toBe(whole(written));
      }),
    );
  });

  it("holds back nothing but what may be a secret", () => {
    const redactor = createDeltaRedactor(finders);
    expect(redactor.push("Here it comes: sk-an")).toBe("Here it comes: ");
    expect(redactor.push("kle, a joint.")).toBe("sk-ankle, a joint.");
    expect(redactor.push(" And sk-ant-aaaaaaaaaaaaaaaa")).toBe(" And ");
    expect(redactor.push("bbbb")).toBe("");
    expect(redactor.push(" it was.")).toBe("[redacted anthropic-key] it was.");
    expect(redactor.flush("Here it comes … it was.")).toBe("");
  });

  it("shows what was held back at the end only as the end of the text that it was part of", () => {
    const redactor = createDeltaRedactor(finders);
    expect(redactor.push("It is a sk-ant-aaaa")).toBe("It is a ");
    expect(redactor.flush("Another text.")).toBe("");
    expect(redactor.push("It is a sk-")).toBe("It is a ");
    expect(redactor.flush("It is a sk-")).toBe("sk-");
  });

  it("tells of each secret once", () => {
    const found: string[] = [];
    const redactor = createDeltaRedactor(finders, ({ name }) => found.push(name));
    for (const piece of ["a sk-ant-aaaaaaaa", "aaaaaaaaaaaa", ", then postgres://a:bcdef", "gh@host", "/"]) {
      redactor.push(piece);
    }
    redactor.flush("/");
    expect(found).toEqual(["anthropic-key", "url-password"]);
  });

  it("shows no more of a text that may be a secret for longer than any is, and begins anew after it", () => {
    const redactor = createDeltaRedactor(finders);
    expect(redactor.push("Look: -----BEGIN PRIVATE KEY-----")).toBe("Look: ");
    const shown = Array.from({ length: 40 }, () => redactor.push("A".repeat(1000)));
    expect(shown.join("")).toBe("[redacted]");
    expect(redactor.push("-----END PRIVATE KEY----- and more")).toBe("");
    expect(redactor.flush("… and more")).toBe("");
    expect(redactor.push("Next.")).toBe("Next.");
  });
});
