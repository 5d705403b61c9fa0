// Which request targets mean the same to everybody who reads them.

/** A slash, a backslash, a dot or a control character that hides behind its code. */
const hidden = /%(?:2f|5c|2e|7f|[01][0-9a-f])/i;

/** `/path?query` in printable ASCII, with nothing that a proxy could read as another path. */
export function isPlain(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  if (!/^\/[\x21-\x7e]*$/.test(target) || target.includes("#")) return false;
  if (path.includes("//") || path.includes("\\") || hidden.test(path)) return false;
  if (path.split("/").some((part) => part === "." || part === "..")) return false;
  return !path.includes("%") || decodes(path);
}

function decodes(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
