// One plain address, read strictly: `dot-atom@domain` in ASCII and nothing that two programs could read in two ways.

/** `!` to `~` without what has a meaning of its own in an address. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`);
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
// A last label of digits alone would be an IP address.
const domain = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*\\.(?!\\d+$)${label}$`);

export type ReadAddress =
  | { readonly ok: true; readonly address: string; readonly domain: string }
  | { readonly ok: false; readonly why: string };

/** Local part as written, domain in lower case; null when it is not one plain address. */
export function plainAddress(text: string): string | null {
  const read = readAddress(text);
  return read.ok ? read.address : null;
}

/** The id of the account that an address is. */
export function accountOf(address: string): string {
  return address.toLowerCase();
}

/** The value of a From field without its folds: an address, or a name and an address in `<>`. */
export function readFrom(value: string): ReadAddress {
  const text = value.trim();
  if (text === "") return refused("From is empty");
  if (text.length > 998) return refused("From is longer than a line may be");
  if (!/^[\t\x20-\x7e]*$/.test(text)) {
    return refused("From holds bytes that are not printable ASCII");
  }
  const open = text.lastIndexOf("<");
  if (open < 0) return readAddress(text);
  if (!text.endsWith(">")) return refused("From goes on after the address");
  const problem = problemOfName(text.slice(0, open));
  return problem ? refused(problem) : readAddress(text.slice(open + 1, -1));
}

function readAddress(text: string): ReadAddress {
  const at = text.indexOf("@");
  if (at < 0) return refused("From holds no address");
  if (at !== text.lastIndexOf("@")) return refused("the address in From has two @");
  const local = text.slice(0, at);
  const host = text.slice(at + 1);
  if (local.includes("=?")) return refused("the address in From is an encoded word");
  if (local.length > 64 || !dotAtom.test(local)) {
    return refused("the part of From before the @ is not plain (letters, digits, dots and -_+)");
  }
  if (!domain.test(host)) return refused("the domain in From is not a plain domain name");
  const lower = host.toLowerCase();
  return { ok: true, address: `${local}@${lower}`, domain: lower };
}

/** What stands before `<`: words, and texts in quotes. */
function problemOfName(name: string): string | null {
  const bare = name.replace(/"(?:[^"\\]|\\.)*"/g, " ");
  if (bare.includes('"')) return "a quote in From does not end";
  if (bare.includes("(") || bare.includes(")")) return "From holds a comment";
  if (bare.includes(",") || bare.includes("@")) return "From holds more than one address";
  if (/[:;]/.test(bare)) return "From holds a group or a route";
  return /[<>[\]\\]/.test(bare) ? "the name in From is not plain" : null;
}

function refused(why: string): ReadAddress {
  return { ok: false, why };
}
