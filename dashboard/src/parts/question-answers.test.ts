import { expect, it } from "vitest";
import { answersOf, askedIn, choose, chosenOf, parseChosen, write } from "./question-answers.ts";

const input = {
  questions: [
    {
      question: "Which colour?",
      header: "Colour",
      options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
    },
    { question: "Which sizes?", header: "Size", multiSelect: true, options: [{ label: "S" }, { label: "M" }] },
  ],
};

it("takes one answer or several, and words of one's own in place of or beside them", () => {
  const asked = askedIn({ input });
  const [colour, size] = asked;
  if (!colour || !size) throw new Error("It reads two questions");
  expect(colour.options).toEqual([
    { label: "Red", description: "warm" },
    { label: "Blue", description: "" },
  ]);
  const one = choose(colour, choose(colour, chosenOf({}, colour.question), "Red"), "Blue");
  expect(one).toEqual({ labels: ["Blue"], words: "" });
  expect(write(colour, one, "Green")).toEqual({ labels: [], words: "Green" });
  const several = write(size, choose(size, choose(size, chosenOf({}, size.question), "M"), "S"), "and XL");
  expect(answersOf(asked, { "Which colour?": one })).toBeUndefined();
  expect(answersOf(asked, { "Which colour?": one, "Which sizes?": several })).toEqual({
    "Which colour?": "Blue",
    "Which sizes?": "S, M, and XL",
  });
  expect(choose(size, several, "M").labels).toEqual(["S"]);
});

it("makes nothing of what is no question, and of a draft that cannot be read", () => {
  expect([askedIn({ input: "x" }), askedIn({ input: { questions: 1 } })]).toEqual([[], []]);
  expect(askedIn({ input: { questions: [null] } })).toEqual([
    { question: "", header: "", isMulti: false, options: [] },
  ]);
  expect([parseChosen(""), parseChosen("[1"), parseChosen('{"a":{"labels":["x",1],"words":2}}')]).toEqual([
    {},
    {},
    { a: { labels: ["x"], words: "" } },
  ]);
});
