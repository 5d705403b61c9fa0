// How a mail program quotes what it answers: as Gmail does it.

/** What is answered. */
export interface Quoted {
  readonly from: string;
  readonly text: string;
  readonly html?: string;
  readonly at?: Date;
}

export interface Body {
  readonly text: string;
  readonly html: string;
}

/** The new text on top, the old one below, in both alternatives. */
export function quoting(text: string, quoted: Quoted): Body {
  const intro = introOf(quoted);
  const old = quoted.text.split("\n").map((line) => (line === "" ? ">" : `> ${line}`));
  const attributed = `<div dir="ltr" class="gmail_attr">${escaped(intro)}<br></div>`;
  const style = "margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex";
  const inner = quoted.html || paragraphs(quoted.text);
  const block = `<blockquote class="gmail_quote" style="${style}">${inner}</blockquote>`;
  return {
    text: `${text}\n\n${wrapped(intro)}\n\n${old.join("\n")}\n`,
    html: `${plainHtml(text)}<br><div class="gmail_quote gmail_quote_container">${attributed}${block}</div>\n`,
  };
}

/** What a mail program makes of typed text. */
export function plainHtml(text: string): string {
  return `<div dir="ltr">${paragraphs(text)}</div>`;
}

function paragraphs(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "<br>" : escaped(line)))
    .map((line) => `<div>${line}</div>`)
    .join("");
}

function introOf({ from, at = new Date() }: Quoted): string {
  const day = at.toLocaleDateString("en-US", {
    weekday: "short",
    month: "short",
    day: "numeric",
    year: "numeric",
    timeZone: "UTC",
  });
  const time = at.toLocaleTimeString("en-US", {
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
  });
  return `On ${day} at ${time} <${from}> wrote:`;
}

/** Gmail breaks its text at 78. */
function wrapped(line: string): string {
  if (line.length <= 78) return line;
  const cut = line.lastIndexOf(" ", 78);
  return `${line.slice(0, cut)}\n${line.slice(cut + 1)}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
