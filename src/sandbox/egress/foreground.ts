// Looks at a request's body as it passes: work that a model does in the background is never counted, so nobody may ask for it.

/** Of a request whose body is not JSON as we read it: nobody knows what it asks for. */
const json = /^application\/(?:[\w.+-]+\+)?json\b/i;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether the body comes as plain JSON; without a type servers take it for that. */
export function isPlainJson(headers: Headers): boolean {
  const { "content-type": type = "application/json", "content-encoding": coding = "identity" } =
    headers;
  return json.test(String(type)) && String(coding).toLowerCase() === "identity";
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const opening: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** What is longer is no name or value that we look for, also with each of its characters escaped. */
const mostChars = 128;

function nameOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Takes pieces of an object in JSON; true as soon as one of its own fields is `background`, unless that is false or null. */
export function createForeground(): (chunk: Buffer) => boolean {
  let [depth, inString, escaped, found] = [0, false, false, false];
  let part = "";
  let name: string | undefined;
  const keep = (byte: number) => {
    if (depth === 1 && part.length < mostChars) part += String.fromCharCode(byte);
  };
  const endField = () => {
    if (name === "background" && part !== "false" && part !== "null") found = true;
    [name, part] = [undefined, ""];
  };
  const takeInString = (byte: number) => {
    keep(byte);
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) inString = false;
  };
  const take = (byte: number) => {
    // UTF-16 and UTF-32 hold zeros wherever JSON's own signs are.
    if (byte === 0) found = true;
    if (inString) return takeInString(byte);
    if (isSpace(byte)) return;
    if (byte === quote) inString = true;
    if (opening.has(byte)) {
      keep(byte);
      depth += 1;
    } else if (closing.has(byte)) {
      if (depth === 1) endField();
      depth -= 1;
    } else if (depth === 1 && byte === colon) {
      [name, part] = [nameOf(part), ""];
    } else if (depth === 1 && byte === comma) endField();
    else keep(byte);
  };
  return (chunk) => {
    for (const byte of chunk) take(byte);
    return found;
  };
}
