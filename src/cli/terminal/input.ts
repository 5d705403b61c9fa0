// The line a person is typing, as a pure state: keys in, a new state or something to do out.

export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly sequence?: string | undefined;
}

export interface Input {
  /** Characters, so that a cursor never stands inside one. */
  readonly text: readonly string[];
  readonly cursor: number;
  readonly history: readonly string[];
  /** Index into the history while going through it. */
  readonly recall: number | undefined;
}

export type Typed =
  | { readonly do: "edit"; readonly input: Input }
  | { readonly do: "submit"; readonly input: Input; readonly text: string }
  | { readonly do: "interrupt" }
  | { readonly do: "leave" }
  | { readonly do: "redraw" };

export const emptyInput: Input = { text: [], cursor: 0, history: [], recall: undefined };

const historyMost = 200;

export function type(input: Input, key: Key): Typed {
  if (key.ctrl) return control(input, key);
  switch (key.name) {
    case "return":
      return key.meta ? insert(input, "\n") : submit(input);
    case "enter":
      return insert(input, "\n");
    case "backspace":
      return key.meta
        ? cut(input, wordStart(input), input.cursor)
        : cut(input, input.cursor - 1, input.cursor);
    case "delete":
      return cut(input, input.cursor, input.cursor + 1);
    case "left":
      return move(input, input.cursor - 1);
    case "right":
      return move(input, input.cursor + 1);
    case "home":
      return move(input, 0);
    case "end":
      return move(input, input.text.length);
    case "up":
      return recall(input, -1);
    case "down":
      return recall(input, 1);
    default:
      return key.meta || !isPrintable(key.sequence) ? same(input) : insert(input, key.sequence);
  }
}

/** Pasted text is text, whatever keys are in it. */
export function insert(input: Input, text: string): Typed {
  const added = [...text.replaceAll("\r\n", "\n").replaceAll("\r", "\n")];
  const { cursor } = input;
  return edited(input, input.text.toSpliced(cursor, 0, ...added), cursor + added.length);
}

function control(input: Input, { name }: Key): Typed {
  switch (name) {
    case "c":
      return { do: "interrupt" };
    case "d":
      return input.text.length === 0 ? { do: "leave" } : cut(input, input.cursor, input.cursor + 1);
    case "l":
      return { do: "redraw" };
    case "a":
      return move(input, 0);
    case "e":
      return move(input, input.text.length);
    case "u":
      return cut(input, 0, input.cursor);
    case "k":
      return cut(input, input.cursor, input.text.length);
    case "w":
      return cut(input, wordStart(input), input.cursor);
    case "j":
      return insert(input, "\n");
    default:
      return same(input);
  }
}

function submit(input: Input): Typed {
  const text = input.text.join("");
  if (text.trim() === "") return same(input);
  if (text.endsWith("\\"))
    return edited(input, [...input.text.slice(0, -1), "\n"], input.text.length);
  const history = [...input.history.filter((line) => line !== text), text].slice(-historyMost);
  return { do: "submit", text, input: { ...emptyInput, history } };
}

function recall(input: Input, step: number): Typed {
  const at = (input.recall ?? input.history.length) + step;
  if (at < 0 || at > input.history.length) return same(input);
  const text = [...(input.history[at] ?? "")];
  return { do: "edit", input: { ...input, text, cursor: text.length, recall: at } };
}

function isPrintable(sequence: string | undefined): sequence is string {
  return sequence !== undefined && !/\p{Cc}/u.test(sequence);
}

function wordStart({ text, cursor }: Input): number {
  const before = text.slice(0, cursor).join("");
  return [...before.replace(/\S*\s*$/, "")].length;
}

function cut(input: Input, from: number, to: number): Typed {
  const start = Math.max(0, from);
  return edited(input, input.text.toSpliced(start, Math.max(0, to - start)), start);
}

function move(input: Input, to: number): Typed {
  const cursor = Math.min(Math.max(0, to), input.text.length);
  return { do: "edit", input: { ...input, cursor } };
}

function edited(input: Input, text: readonly string[], cursor: number): Typed {
  return { do: "edit", input: { ...input, text, cursor } };
}

function same(input: Input): Typed {
  return { do: "edit", input };
}
