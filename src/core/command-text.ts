// How our own texts name a command: marked, so that each channel writes it as people type it there.
const mark = { begin: "\uE0F0", end: "\uE0F1" };
const marked = new RegExp(`${mark.begin}([^${mark.end}]*)${mark.end}`, "g");

/** `words` without a slash: `help`, `resume 2`. */
export function typed(words: string): string {
  return `${mark.begin}${words}${mark.end}`;
}

export function writeCommands(
  text: string,
  write: (words: string) => string = (words) => `/${words}`,
): string {
  return text.includes(mark.begin)
    ? text.replace(marked, (_, words: string) => write(words))
    : text;
}
