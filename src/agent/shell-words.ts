// Splits a command line into words the way a shell would, without expanding anything.

const word = /\s*((?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+)(?=\s|$)/y;
const piece = /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])|([^"'\\]+)/g;

function unquote(text: string): string {
  return text.replace(piece, (_, double, single, escaped, plain) =>
    double === undefined ? (single ?? escaped ?? plain) : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

/** Null when a quote is never closed or a backslash ends the line. */
export function shellWords(line: string): string[] | null {
  const text = line.trim();
  const words: string[] = [];
  word.lastIndex = 0;
  while (word.lastIndex < text.length) {
    const found = word.exec(text)?.[1];
    if (found === undefined) return null;
    words.push(unquote(found));
  }
  return words;
}
