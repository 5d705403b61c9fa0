// HTML mails as text: what their reader sees, and only that.
import assert from "node:assert/strict";
import { it } from "node:test";
import { htmlToText } from "../../channels/email/html.ts";
import { newText } from "../../channels/email/trim.ts";

const convert = htmlToText();
const reply = { reply: true, forward: false };

function textOf(html: string): string {
  const read = convert(html);
  assert.ok(read.ok, JSON.stringify(read));
  return read.text;
}

const shown = (html: string) => textOf(html).replace(/\s+/g, " ").trim();
const left = (html: string) => newText(textOf(html), reply);

for (const [what, html] of Object.entries({
  "display:none": '<div style="display:none">SECRET</div>',
  "display : NONE !important": '<div style="color:red; DISPLAY : None !important">SECRET</div>',
  "what lies in it": '<div style="display:none"><p style="display:block">SECRET</p></div>',
  "visibility:hidden": '<span style="visibility:hidden">SECRET</span>',
  "the attribute hidden": "<p hidden>SECRET</p>",
  "font-size:0": '<span style="font-size:0">SECRET</span>',
  "font-size:0px": '<span style="font-size:0px;line-height:0">SECRET</span>',
  "font-size:1px": '<span style="font-size:1px">SECRET</span>',
  "font: 0/0": '<span style="font:0/0 a">SECRET</span>',
  "opacity:0": '<span style="opacity:0">SECRET</span>',
  "opacity:0.0": '<span style="opacity:0.0">SECRET</span>',
  "mso-hide:all": '<span style="mso-hide:all">SECRET</span>',
  "max-height:0": '<div style="max-height:0px;overflow:hidden">SECRET</div>',
  "height:0 that cuts off": '<div style="height:0;overflow:hidden">SECRET</div>',
  "far off the screen": '<div style="position:absolute;left:-9999px">SECRET</div>',
  "text-indent": '<div style="text-indent:-9999px">SECRET</div>',
  "white on white": '<span style="color:#ffffff">SECRET</span>',
  "white on white, in short": '<span style="color:#FFF">SECRET</span>',
  "white by name": '<font color="white">SECRET</font>',
  rgb: '<span style="color:rgb(255, 255, 255)">SECRET</span>',
  "black on black": '<div style="background:#000"><span style="color:black">SECRET</span></div>',
  bgcolor: '<table bgcolor="#123456"><tr><td style="color:#123456">SECRET</td></tr></table>',
  transparent: '<span style="color:transparent">SECRET</span>',
  "a class": "<style>.x{display:none}</style><p class='y x'>SECRET</p>",
  "a class of a tag": "<style>p.x{color:red;display:none}</style><p class=x>SECRET</p>",
  "an id": "<style>/* x */ .b, #x { font-size: 0 }</style><p id=x>SECRET</p>",
  "a style after it": "<p class=x>SECRET</p><style>.x{display:none}</style>",
  "a comment": "<!-- SECRET -->",
  "a comment for Outlook": "<!--[if mso]><p>SECRET</p><![endif]-->",
  "a script": "<script>SECRET</script>",
  "a style": "<style>.SECRET{}</style>",
  "a title": "<head><title>SECRET</title></head>",
  "a template": "<template>SECRET</template>",
  "an image's address": '<img src="https://example.org/SECRET.png">',
  "a text field": "<textarea>SECRET</textarea>",
}))
  it(`leaves out ${what}`, () => {
    assert.equal(shown(`<p>Before.</p>${html}<p>After.</p>`), "Before. After.");
  });

for (const [what, html] of Object.entries({
  "white on a dark ground": '<div style="background:#222"><p style="color:#fff">seen</p></div>',
  "white on a picture": '<div style="background:url(x.png)"><p style="color:#fff">seen</p></div>',
  "what an empty layout shows":
    '<td style="font-size:0"><span style="font-size:14px">seen</span></td>',
  "the visible in the invisible":
    '<p style="visibility:hidden"><b style="visibility:visible">seen</b></p>',
  "small print": '<p style="font-size:10px;opacity:0.8">seen</p>',
  "what small screens hide":
    "<style>@media (max-width:600px){.x{display:none}}</style><p class=x>seen</p>",
  "aria-hidden": '<p aria-hidden="true">seen</p>',
  "the words for an image": '<img src="https://example.org/x.png" alt="seen">',
  noscript: "<noscript>seen</noscript>",
  "an unclosed head": "<head><p>seen</p>",
}))
  it(`keeps ${what}`, () => {
    assert.equal(shown(`<p>Before.</p>${html}<p>After.</p>`), "Before. seen After.");
  });

it("shows where links lead, but for scripts, data and mail", () => {
  const link = (href: string) => shown(`<p>a <a href="${href}">b</a></p>`);
  assert.equal(link("https://example.org/x?y=z"), "a b [https://example.org/x?y=z]");
  for (const href of [
    "javascript:alert(1)",
    "data:text/html,x",
    "mailto:a@b.example",
    "#x",
    `https://${"x".repeat(3000)}`,
  ])
    assert.equal(link(href), "a b", href.slice(0, 20));
  assert.equal(
    shown('<a href="https://example.org/">https://example.org/</a>'),
    "https://example.org/",
  );
});

it("keeps lines, lists, tables and code apart", () => {
  assert.equal(
    textOf("<div>one</div><div><br></div><div>two<br>three</div>").trim(),
    "one\n\n\ntwo\nthree",
  );
  assert.match(textOf("<ul><li>one</li><li>two</li></ul>"), /\* one\n ?\* two/);
  assert.equal(
    textOf("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>").trim(),
    "a b\nc",
  );
  assert.equal(textOf("<pre>a\n  b\n</pre>").trim(), "a\n  b");
  assert.equal(textOf("<h1>Title</h1>").trim(), "Title");
});

const quoted = {
  gmail:
    '<div dir="ltr">New text.</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, Oct 5, 2026 at 10:00 AM Ana &lt;<a href="mailto:ana@example.org">ana@example.org</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0"><div>old<br></div></blockquote></div>',
  "gmail in a language that nobody knows":
    '<div dir="ltr">New text.</div><div class="gmail_quote"><div class="gmail_attr">Xyz 5 abc<br></div><blockquote class="gmail_quote"><div>old</div></blockquote></div>',
  "outlook on the web":
    '<div>New text.</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font><b>Xyz:</b> Ana &lt;ana@example.org&gt;<br><b>Abc:</b> Monday<br></font><div>&nbsp;</div></div><div>old</div><blockquote>older</blockquote>',
  "outlook on the desktop":
    '<div class=WordSection1><p class=MsoNormal>New text.<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class=MsoNormal><b>Xyz:</b> Ana &lt;ana@example.org&gt;<br><b>Abc:</b> Monday</p></div></div><p class=MsoNormal>old</p></div>',
  "outlook 2010, by its words":
    "<div><p class=MsoNormal>New text.</p><div><p class=MsoNormal><b><span>From:</span></b><span> Ana [mailto:ana@example.org] <br><b>Sent:</b> Monday, October 05, 2026 10:00 AM<br><b>To:</b> Bot<br><b>Subject:</b> Build</span></p></div><p>old</p></div>",
  thunderbird:
    '<p>New text.</p><div class="moz-cite-prefix">Xyz 5.10.2026, Ana:<br></div><blockquote type="cite" cite="mid:x@y"><p>old</p></blockquote><div class="moz-signature">-- <br>Ana</div>',
  "apple mail":
    '<html><body>New text.<div><br><blockquote type="cite"><div>On 5 Oct 2026, at 10:00, Ana &lt;ana@example.org&gt; wrote:</div><br><div>old</div></blockquote></div></body></html>',
  yahoo:
    '<div>New text.</div><div id="yahoo_quoted_123" class="yahoo_quoted"><div>On Monday, Ana wrote: </div><div>old</div></div>',
  yandex:
    '<div>New text.</div><div><br></div><div>05.10.2026, 10:00, "Ana" &lt;ana@example.org&gt;:</div><blockquote><p>old</p></blockquote>',
  gmx: '<div>New text.<div><div name="quote" style="margin:10px"><div><b>Gesendet:</b> Montag<br/><b>Von:</b> Ana</div>old</div></div></div>',
  proton:
    '<div>New text.</div><div class="protonmail_quote">Xyz Monday, Ana said:<br><blockquote class="protonmail_quote" type="cite">old</blockquote></div>',
};

for (const [program, html] of Object.entries(quoted))
  it(`leaves the new text of a reply by ${program}`, () => assert.equal(left(html), "New text."));

it("keeps answers between the lines of an HTML reply", () => {
  const html =
    '<div class="gmail_quote"><div class="gmail_attr">On Mon, Oct 5, 2026 at 10:00 AM Ana &lt;ana@example.org&gt; wrote:</div><blockquote class="gmail_quote">Which branch?</blockquote></div><div>main</div><blockquote class="gmail_quote">And when?</blockquote><div>Now.</div><blockquote>Ana</blockquote>';
  assert.equal(left(html).replace(/\n+/g, "\n"), "> Which branch?\nmain\n> And when?\nNow.");
});

it("keeps what was handed on, and what a person cites", () => {
  const forward =
    '<div>Sum it up.</div><div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Leo<br></div>the plan</div>';
  assert.match(left(forward), /the plan/);
  const cited = "<p>What does this mean:</p><blockquote>disk full</blockquote>";
  assert.match(left(cited), /disk full/);
});

it("drops the signatures that programs mark, and not what stands in a long one", () => {
  assert.equal(left('<div>Go.</div><div class="gmail_signature">Ana<br>Example Ltd</div>'), "Go.");
  const long = `<div>Go.</div><div id="Signature">${"<p>and a long request that somebody wrote down there</p>".repeat(20)}</div>`;
  assert.match(left(long), /long request/);
});

const most = 4 * 1500;
for (const [what, html, wanted] of [
  ["nested tags", `${"<div>".repeat(100_000)}x${"</div>".repeat(100_000)}`, /nested too deeply/],
  ["nested tags that end themselves", "<b/>".repeat(100_000), /nested too deeply/],
  ["deep tables", `${"<table><tr><td>".repeat(900)}x`, null],
  ["quotes in quotes", `${"<blockquote>".repeat(900)}x`, null],
  ["a huge attribute", `<p title="${"a".repeat(4_000_000)}">x</p>`, null],
  ["a huge style", `<p style="${"color:red;".repeat(200_000)}">x</p>`, null],
  [
    "many attributes",
    `<p ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(" ")}>x</p>`,
    null,
  ],
  [
    "many classes",
    `<style>${".a{color:red}".repeat(50_000)}</style><p class="${"a ".repeat(100_000)}">x</p>`,
    null,
  ],
  ["many rules", `<style>${"{".repeat(100_000)}</style><p>x</p>`, null],
  ["open comments in a style", `<style>${"/*".repeat(100_000)}</style><p>x</p>`, null],
  ["many elements", "<b>x</b>".repeat(100_000), null],
  ["many breaks", "x<br>".repeat(100_000), null],
  ["open brackets", "<".repeat(1_000_000), null],
  ["open comments", "<!--".repeat(200_000), null],
  ["entities", "&amp;".repeat(200_000), null],
  ["closing tags", "</p>".repeat(100_000), null],
] as const)
  it(`survives ${what}`, () => {
    const before = process.cpuUsage();
    const read = convert(html);
    assert.ok(process.cpuUsage(before).user / 1000 < most);
    if (wanted) assert.match(read.ok ? "" : read.why, wanted);
    else assert.ok(read.ok);
  });
