// The messages of one conversation. What did not change is not drawn again, however long the talk is.
// @ts-check
import { html } from "../html.js";
import { markdown, plain } from "../markdown.js";
import { chatOf, talkAt } from "../state.js";
import { bytes, clock, splitTool } from "../words.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */
/** @typedef {import("../../../core/page.ts").Entry} Entry */
/** @typedef {import("../../../core/page.ts").Posted} Posted */

/** @param {Act} act */
export function createLog(act) {
  /** @type {WeakMap<Entry, {of: string, press: unknown, shown: any}>} What it was drawn of. */
  const drawn = new WeakMap();
  const entry = (/** @type {Entry} */ each, /** @type {State} */ state) => {
    const press = state.presses[each.id];
    const of = `${state.place} ${new Date(state.now).toDateString()} ${isAskedElsewhere(each, state)}`;
    const before = drawn.get(each);
    if (before?.of === of && before.press === press) return before.shown;
    const shown = each.is === "said" ? said(each, state) : posted(each, state, act);
    drawn.set(each, { of, press, shown });
    return shown;
  };
  return (/** @type {State} */ state) => {
    const talk = talkAt(state, state.place);
    const unsent = state.outgoing.filter(({ chat }) => chat === chatOf(state.place));
    const empty = talk.loaded && talk.entries.length === 0 && unsent.length === 0;
    const scroll = (/** @type {any} */ event) => {
      const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
      act.scrolled(scrollTop < -150);
      // It hangs from its end, so that the way up is negative.
      if (talk.earlier && scrollHeight - clientHeight + scrollTop < 300) void act.earlier();
    };
    return html`<div class="log-frame" key=${state.place}>
      <div class="log" tabindex="0" role="log" aria-label="Messages" aria-relevant="additions" onScroll=${scroll} id="log" data-holds>
        <div class="log-inner">
          ${talk.earlier && html`<button class="earlier" onClick=${act.earlier}>Earlier messages</button>`}
          ${!talk.loaded && html`<p class="quiet center">Loading …</p>`}
          ${empty && welcome(state)}
          ${talk.entries.map((each) => entry(each, state))}
          ${unsent.map((message) => outgoing(message, state, act))}
        </div>
      </div>
      ${state.away && html`<button class="latest" onClick=${toLatest}>Latest messages</button>`}
    </div>`;
  };
}

function toLatest() {
  const log = document.getElementById("log");
  log?.scrollTo({ top: 0 });
  log?.focus();
}

/** @param {State} state */
function welcome({ me }) {
  return html`<div class="welcome">
    <h2>Hello${me ? `, ${me.name}` : ""}</h2>
    <p>You write to <strong>${me?.agent.name ?? "the agent"}</strong>. ${
      me?.agent.asks
        ? "What it wants to change waits for your answer, and shows the whole effect first."
        : "This agent never asks before it changes something: approvals do not apply to it."
    }</p>
    <p class="quiet">/help lists what you can type.</p>
  </div>`;
}

/** @param {import("../../../core/page.ts").Said} entry @param {State} state */
function said({ id, who, mine, text, files, at, place }, state) {
  return html`<article key=${id} id=${id} class=${mine ? "entry mine" : "entry theirs"} aria-label=${mine ? "You" : who}>
    <p class="by">${mine ? html`<span class="unseen">You</span>` : who} <time>${clock(at, state.now)}</time></p>
    <div class="bubble">
      ${text && plain(text)}
      ${files.map(({ name, size }) => html`<p class="file">${name} <span class="quiet">${bytes(size)}</span></p>`)}
    </div>
    ${place !== undefined && html`<p class="note">${place === 1 ? "Next in this chat" : `Number ${place} in this chat`}</p>`}
  </article>`;
}

/** @param {Posted} entry @param {State} state @param {Act} act */
function posted(entry, state, act) {
  const { text, tool } = splitTool(entry.text);
  const card = entry.question !== undefined || entry.buttons.length > 0;
  return html`<article key=${entry.id} id=${entry.id} tabindex="-1" data-holds aria-label="Agent" aria-busy=${tool !== ""}
      class=${card ? "entry posted card" : "entry posted"}>
    <p class="by"><span class="unseen">Agent</span> <time>${clock(entry.at, state.now)}</time></p>
    ${text && (entry.format === "markdown" ? markdown(text) : plain(text))}
    ${tool && html`<p class="tool">Running <code>${tool}</code></p>`}
    ${entry.file && shownFile(entry.file)}
    ${entry.buttons.length > 0 && buttons(entry, state, act)}
    ${
      isAskedElsewhere(entry, state) &&
      html`<div class="buttons"><button class="primary" onClick=${() => act.show("approvals")}>Answer under Approvals</button></div>`
    }
    ${notice(entry, state)}
  </article>`;
}

/** An open question in a conversation that is only to be read here: its buttons are where it was asked. @param {Entry} entry @param {State} state */
function isAskedElsewhere(entry, { place, approvals }) {
  if (entry.is === "said" || !entry.question || chatOf(place)) return false;
  return approvals?.some(({ id }) => id === entry.question) ?? false;
}

/** @param {import("../../../core/page.ts").ShownFile} file */
function shownFile({ name, mime, size, url, view }) {
  return html`<p class="file">
    ${url ? html`<a href=${url} download=${name}>${name}</a>` : html`<span>${name}</span>`}
    <span class="quiet"> ${bytes(size)}, ${mime}${url ? "" : ", no longer kept"}</span>
    ${view && html` <a class="view" href=${view} target="_blank" rel="noopener noreferrer">View<span class="unseen"> ${name} in a closed frame</span></a>`}
  </p>`;
}

/** @param {Posted} entry @param {State} state @param {Act} act */
function buttons(entry, state, act) {
  const chat = chatOf(state.place);
  const press = state.presses[entry.id];
  const busy = press?.state === "sending" || press?.state === "taken";
  if (!chat) return null;
  return html`<div class="buttons" role="group" aria-label="Answers">${entry.buttons.map(
    (
      { label, data },
      at,
    ) => html`<button key=${data} aria-disabled=${busy} onClick=${() => act.press(chat, entry.id, data)}
      class=${/^deny\b/i.test(label) ? "danger" : at === 0 ? "primary" : ""}>${label}${
        busy && press?.data === data ? html`<span class="unseen">, sent</span>` : ""
      }</button>`,
  )}</div>`;
}

/** @param {Posted} entry @param {State} state */
function notice(entry, state) {
  const press = state.presses[entry.id];
  if (!press && entry.buttons.length === 0) return null;
  const words =
    press?.state === "sending" || press?.state === "taken"
      ? "Sent, waiting for the answer …"
      : (press?.notice ?? "");
  const again = press?.state === "unsent" ? " Press again to try once more." : "";
  return html`<p class="note" role="status">${words}${again}</p>`;
}

/** @param {import("../state.js").Outgoing} message @param {State} state @param {Act} act */
function outgoing(message, state, act) {
  const { id, text, files, at } = message;
  const words = {
    sending: "Sending …",
    unsent: "Not sent yet. It is tried again by itself.",
    taken: "Sent",
    refused: `Not taken: ${message.problem ?? ""}`,
  };
  return html`<article key=${`m-${id}`} id=${`m-${id}`} class=${`entry mine ${message.state}`} aria-label="You">
    <p class="by"><span class="unseen">You</span> <time>${clock(at, state.now)}</time></p>
    <div class="bubble">
      ${text && plain(text)}
      ${files.map(({ name, size }) => html`<p class="file">${name} <span class="quiet">${bytes(size)}</span></p>`)}
    </div>
    <p class="note" role="status">${words[message.state]}
      ${message.state === "unsent" && html` <button onClick=${act.retry}>Try now</button>`}
      ${
        message.state === "refused" &&
        html` <button onClick=${() => act.takeBack(message)}>Edit</button>
        <button onClick=${() => act.discard(id)}>Discard</button>`
      }
    </p>
  </article>`;
}
