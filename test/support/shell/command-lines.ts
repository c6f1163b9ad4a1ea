import fc from "fast-check";

/** Ways to hide a line in another, some of which run it and some of which do not. */
const WRAPS: readonly ((inner: string) => string)[] = [
  (inner) => `alpha $(${inner})`,
  (inner) => `alpha "$(${inner})"`,
  (inner) => `alpha \`${inner}\``,
  (inner) => `alpha "\`${inner}\`"`,
  (inner) => `alpha '${inner}'`,
  (inner) => `alpha "${inner}"`,
  (inner) => `alpha $'${inner}'`,
  (inner) => `alpha $"${inner}"`,
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}; }`,
  (inner) => `! ${inner}`,
  (inner) => `time ${inner}`,
  (inner) => `coproc ${inner}`,
  (inner) => `coproc C { ${inner}; }`,
  (inner) => `if alpha; then ${inner}; fi`,
  (inner) => `if ${inner}; then alpha; else ${inner}; fi`,
  (inner) => `for x in 1; do ${inner}; done`,
  (inner) => `for ((i=0;i<1;i++)); do ${inner}; done`,
  (inner) => `while ${inner}; do break; done`,
  (inner) => `case x in x) ${inner};; esac`,
  (inner) => `case x in (y) alpha;; (*) ${inner};; esac`,
  (inner) => `f() { ${inner}; }; f`,
  (inner) => `function f { ${inner}; }; f`,
  (inner) => `function f if alpha; then ${inner}; fi; f`,
  (inner) => `eval '${inner}'`,
  (inner) => `eval "${inner}"`,
  (inner) => `eval -- ${inner}`,
  (inner) => `exec ${inner}`,
  (inner) => `command ${inner}`,
  (inner) => `builtin eval '${inner}'`,
  (inner) => `trap '${inner}' EXIT`,
  (inner) => `trap -- "${inner}" EXIT`,
  (inner) => `bash -c '${inner}'`,
  (inner) => `bash -cx '${inner}'`,
  (inner) => `bash -c -- '${inner}'`,
  (inner) => `bash -c -o posix '${inner}'`,
  (inner) => `bash +x -c '${inner}'`,
  (inner) => `bash -s <<< '${inner}'`,
  (inner) => `sh <<'E'\n${inner}\nE\n`,
  (inner) => `sh <<E\n${inner}\nE\n`,
  (inner) => `sh <<-E\n\t${inner}\n\tE\n`,
  (inner) => `echo '${inner}' | sh`,
  (inner) => `echo '${inner}' | { sh; }`,
  (inner) => `echo '${inner}' | bash -`,
  (inner) => `echo "${inner}" | bash /dev/stdin`,
  (inner) => `source /dev/stdin <<< '${inner}'`,
  (inner) => `. <(echo '${inner}')`,
  (inner) => `echo '${inner}' > s; . ./s`,
  (inner) => `echo '${inner}' > s; bash s`,
  (inner) => `bash <(echo '${inner}')`,
  (inner) => `env ${inner}`,
  (inner) => `env -S'${inner}'`,
  (inner) => `env --split-string='${inner}'`,
  (inner) => `env X=1 bash -c '${inner}'`,
  (inner) => `xargs ${inner} < /dev/null`,
  (inner) => `echo '${inner}' | xargs env`,
  (inner) => `echo '${inner}' | xargs -I% %`,
  (inner) => `find . -maxdepth 0 -exec ${inner} \\;`,
  (inner) => `timeout 1e1 ${inner}`,
  (inner) => `nice ${inner}`,
  (inner) => `nohup ${inner}`,
  (inner) => `setsid -w ${inner}`,
  (inner) => `X=1 ${inner}`,
  (inner) => `>o ${inner}`,
  (inner) => `{fd}>o ${inner}`,
  (inner) => `x='${inner}'; $x`,
  (inner) => `x='${inner}'; eval $x`,
  (inner) => `x='$(${inner})'; alpha \${x@P}`,
  (inner) => `x='a[$(${inner})]'; alpha $((x))`,
  (inner) => `x='a[$(${inner})]'; ((x))`,
  (inner) => `x='a[$(${inner})]'; [[ x -eq 1 ]]`,
  (inner) => `x='a[$(${inner})]'; alpha \${y:x}`,
  (inner) => `let 'a[$(${inner})]'`,
  (inner) => `test -v 'a[$(${inner})]'`,
  (inner) => `printf -v 'a[$(${inner})]' x`,
  (inner) => `unset 'a[$(${inner})]'`,
  (inner) => `declare 'a[$(${inner})]=1'`,
  (inner) => `PS4='$(${inner})'; set -x; alpha`,
  (inner) => `shopt -s expand_aliases\nalias q='${inner}'\nq`,
  (inner) => `compgen -C '${inner}'`,
  (inner) => `compgen -W '$(${inner})'`,
  (inner) => `mapfile -c 1 -C '${inner};:' <<< x`,
  (inner) => `alpha \${X:-$(${inner})}`,
  (inner) => `alpha "\${X:-'}"; ${inner}; alpha "'}"`,
  (inner) => `alpha \${X:-"}"; ${inner}; alpha "}"}`,
  (inner) => `alpha <(${inner})`,
  (inner) => `alpha > >(${inner})`,
  (inner) => `alpha <<'E'\n${inner}\nE\n`,
  (inner) => `alpha <<E\n${inner}\nE\n`,
  (inner) => `alpha <<E\n$(${inner})\nE\n`,
  (inner) => `alpha <<\\\nE\n$(${inner})\nE\n`,
  (inner) => `alpha <<E\nx\\\nE\n${inner}\nE\n`,
  (inner) => `alpha <<E\nE\\\n\n${inner}\nE\n`,
  (inner) => `alpha "$(cat <<'E'\n${inner}\nE\n)"`,
  (inner) => `alpha $[1<<"2"]\n${inner}\n2]`,
  (inner) => `alpha $((1<<"2"))\n${inner}\n2))`,
  (inner) => `((1<<"2"))\n${inner}\n2))`,
  (inner) => `alpha a[1<<"2"]\n${inner}\n2]`,
  (inner) => `alpha[1<<"2"]\n${inner}\n2]`,
  (inner) => `declare a[1<<"2"]\n${inner}\n2]`,
  (inner) => `[[ a =~ (${inner}) ]]`,
  (inner) => `alpha # ${inner}`,
  (inner) => `alpha \\\n# '\n${inner}\n# '`,
  (inner) => `(alpha $((1 #))); ${inner}\n))`,
  (inner) => `alpha "$(if case x in x) ${inner};; esac; then :; fi)"`,
  (inner) => `alpha \\${inner}`,
  (inner) => `alpha \\\n ${inner}`,
  (inner) => `alpha "$\\\n(${inner})"`,
];

const LEAVES = [
  "alpha",
  "beta",
  "beta x",
  "alpha x",
  "X=beta; $X",
  "'beta'",
  "be\\ta",
  "b\\\neta",
  "{beta,x}",
  "{alpha,beta}",
  "be${X}ta",
  "bet?",
  "${X:-beta}",
  "$'beta'",
  "./../bin/beta",
  "alpha 2>&1 >/dev/null",
  "alpha {} $ *.x",
  ":",
] as const;

/** Characters that change what those around them mean. */
const SPECIAL = [..."'\"\\`$(){}[]<>|&;#!\n \t=,*?~-:@%+0", "$(", "${", "$((", "<<", "\\\n", ";;", "))"] as const;

const { line } = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 2, arbitrary: fc.constantFrom(...LEAVES) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie("line"), fc.constantFrom(" && ", "; ", "\n", " | ", " || ", " & ", " |& ", " "), tie("line"))
        .map((parts) => parts.join("")),
    },
    { weight: 4, arbitrary: fc.tuple(tie("line"), fc.constantFrom(...WRAPS)).map(([inner, wrap]) => wrap(inner)) },
  ),
}));

/** Changes a line at one place: something is lost, added or said twice. */
function mutate(text: string, { at, kind, added }: Mutation): string {
  const index = text.length === 0 ? 0 : at % text.length;
  switch (kind) {
    case "lose":
      return text.slice(0, index) + text.slice(index + 1);
    case "add":
      return text.slice(0, index) + added + text.slice(index);
    case "repeat":
      return text.slice(0, index) + text.slice(index, index + 5) + text.slice(index);
    case "replace":
      return text.slice(0, index) + added + text.slice(index + 1);
  }
}

interface Mutation {
  readonly at: number;
  readonly kind: "lose" | "add" | "repeat" | "replace";
  readonly added: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 400 }),
  kind: fc.constantFrom<Mutation["kind"]>("lose", "add", "repeat", "replace"),
  added: fc.constantFrom(...SPECIAL),
});

/** Lines of a shell: whole ones, and ones with a few characters changed, which turns quotes and parentheses around. */
export const commandLine: fc.Arbitrary<string> = fc
  .tuple(line, fc.oneof(fc.constant([]), fc.array(mutation, { maxLength: 3 })))
  .map(([text, mutations]) => mutations.reduce(mutate, text));

/** Each way to hide a line, around each thing that can be hidden. */
export const PLAIN_WRAPS: readonly string[] = WRAPS.flatMap((wrap) => LEAVES.map(wrap));
