// What a channel says that is wrong, in words of ours and with its name.

// Of a schema.
const forms: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /Invalid option: expected one of ((?:"[^"]*"\|?)+)/g,
    ([, options = ""]) => `it is ${options.replaceAll('"', "").split("|").join(" or ")}`,
  ],
  [/Invalid input: expected (?:nonoptional )?(?:number|int)\b[^.;\n]*/g, () => "it is a number"],
  [/Too big: expected number to be <=?(-?[\d.]*\d)/g, ([, most]) => `it is at most ${most}`],
  [/Too small: expected number to be >=?(-?[\d.]*\d)/g, ([, least]) => `it is at least ${least}`],
  [
    /Too big: expected string to have <=?(\d+) characters/g,
    ([, most]) => `it has at most ${most} characters`,
  ],
  [/Too small: expected string to have >=?\d+ characters/g, () => "it cannot be empty"],
  [
    /Invalid string: must match pattern \/.*?\/(?=;|$)/g,
    () => "it does not look like what belongs here",
  ],
];

export function inWords(problem: string): string {
  return forms.reduce(
    (text, [form, words]) =>
      text.replace(form, (...found) => words(found as unknown as RegExpExecArray)),
    problem,
  );
}

/** What is wrong with the settings of a channel is said before it has a name here: ID. */
export function named(id: string, problem: string): string {
  return problem.replace(/\bID(?=\.)/g, () => id);
}
