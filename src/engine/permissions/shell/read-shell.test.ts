import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readShell } from "./read-shell.ts";

const commands = (source: string): readonly string[] => readShell(source).commands.map(({ words }) => words.join(" "));

describe("a command line", () => {
  it.each([
    ["git status", ["git status"]],
    ["  a  b\t c ", ["a b c"]],
    ["a && b || c; d | e", ["a", "b", "c", "d", "e"]],
    ["a\nb\n\n c", ["a", "b", "c"]],
    ["a 'x && y' \"z; w\" v\\;u", ["a x && y z; w v;u"]],
    [`a "it's" 'say "hi"'`, [`a it's say "hi"`]],
    ['a "\\$X \\n"', ["a $X \\n"]],
    ["a # b; c\nd", ["a", "d"]],
    ["a b#c", ["a b#c"]],
    ["a 2>&1 >/dev/null", ["a"]],
    ["FOO=1 a", ["FOO=1 a"]],
    ["a -- *.ts [x] ~/y", ["a -- *.ts [x] ~/y"]],
    ["a stdin <<'EOF'\n$(b); it's data\nEOF\nc", ["a stdin", "c"]],
    ["a -m \"$(cat <<'EOF'\nAdd (it's) $(b)\nEOF\n)\" && c", ["a -m $(cat <<'EOF'\nAdd (it's) $(b)\nEOF\n)", "c"]],
    ["a '{x}' {} $", ["a {x} {} $"]],
  ])("of simple commands is read with certainty: %j", (source, expected) => {
    expect(commands(source)).toEqual(expected);
    expect(readShell(source)).toMatchObject({ isPlain: true, isBroken: false });
  });

  it.each([
    ["a $(b c)", ["b c", "a $(b c)"]],
    ['a "$(b "$(c)")"', ["c", "b $(c)", 'a $(b "$(c)")']],
    ["a `b \\`c\\``", ["c", "b `c`", "a `b \\`c\\``"]],
    ["a ${X:-$(b)}", ["b", "a ${X:-$(b)}"]],
    ["a $X", ["a $X"]],
    ["a <(b) >(c)", ["b", "c", "a <(…) >(…)"]],
    ["(a; b) & c", ["a", "b", "c"]],
    ["{ a; }", ["{ a", "}"]],
    ["f() { a; }; f", ["f", "{ a", "}", "f"]],
    ["if a; then b; fi", ["if a", "then b", "fi"]],
    ["a > out.txt", ["a"]],
    ["a < in.txt", ["a"]],
    ["a <<EOF\nx $(b) `c`\nEOF\nd", ["b", "c", "a", "d"]],
    ["a {b,c}", ["a {b,c}"]],
    ["a \\\n b", ["a b"]],
    ["a\r\nb", ["a\r", "b"]],
    ["a $'b\\'c' d", ["a $'b\\'c' d"]],
    ["a |& b", ["a", "b"]],
  ])("with more than simple commands is no plain one, and shows what it runs: %j", (source, expected) => {
    expect([...commands(source)].toSorted()).toEqual([...expected].toSorted());
    expect(readShell(source)).toMatchObject({ isPlain: false, isBroken: false });
  });

  it.each([
    "a 'b",
    'a "b',
    "a $(b",
    "a `b",
    "a ${b",
    "(a",
    "a <<EOF\nb",
    "a <<'EOF'",
    "a $'b",
    "\"$(cat <<'E')\nE\n",
    "$(case x in a) b;; esac)",
  ])("that cannot be read to its end says so: %j", (source) => {
    expect(readShell(source)).toMatchObject({ isPlain: false, isBroken: true });
  });

  it("tells what is piped, written to files and read from here-documents, and which words are made up", () => {
    expect(readShell("a |\n b$X > f <<'E'\nt\nE\n").commands).toEqual([
      { written: ["a"], words: ["a"], dynamic: [false], outputs: [], inputs: [], isPiped: false },
      {
        written: ["b$X"],
        words: ["b$X"],
        dynamic: [true],
        outputs: ["f"],
        inputs: [{ text: "t", isDynamic: false }],
        isPiped: true,
      },
    ]);
  });

  it("reads any text to an end, and finds a word again that it was given quoted", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (source) => void readShell(source)));
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
        expect(readShell(quoted.join(" ")).commands.map((command) => command.words)).toEqual([words]);
      }),
    );
  });
});
