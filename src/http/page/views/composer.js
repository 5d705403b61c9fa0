// Where a message is written: Enter sends, files come by button, paste or drop.
// @ts-check
import { html } from "../html.js";
import { bytes } from "../words.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */

/** @param {State} state @param {Act} act @param {string} chat */
export function composer(state, act, chat) {
  const files = state.attached[chat] ?? [];
  const text = state.drafts[chat] ?? "";
  const pending = files.some(({ id }) => !id);
  const empty = text.trim() === "" && files.length === 0;
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    act.send(chat);
    document.getElementById("message")?.focus();
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    act.send(chat);
  };
  const paste = (/** @type {ClipboardEvent} */ event) => {
    const pasted = event.clipboardData?.files;
    if (!pasted?.length) return;
    event.preventDefault();
    act.attach(chat, pasted);
  };
  return html`<form class="composer" onSubmit=${send}>
    ${files.length > 0 && html`<ul class="plain-list attached">${files.map((file) => attachment(file, () => act.detach(chat, file.key)))}</ul>`}
    <label class="unseen" for="message">Message</label>
    <textarea id="message" rows="1" value=${text} placeholder="Write a message" enterkeyhint="send"
      aria-describedby="message-hint" onInput=${(/** @type {any} */ event) => act.draft(chat, event.currentTarget.value)}
      onKeyDown=${keys} onPaste=${paste}></textarea>
    <div class="composer-foot">
      ${picker(chat, act)}
      <p class="quiet hint" id="message-hint">${hint(files)}</p>
      <button class="primary" aria-disabled=${empty || pending}>Send</button>
    </div>
  </form>`;
}

/** @param {readonly import("../state.js").Attached[]} files */
function hint(files) {
  if (files.some(({ problem }) => problem)) return "Remove the file that did not go up.";
  if (files.some(({ id }) => !id)) return "Files are still going up.";
  return "Enter sends, Shift+Enter begins a new line.";
}

/** @param {string} chat @param {Act} act */
function picker(chat, act) {
  const pick = (/** @type {any} */ event) => event.currentTarget.nextElementSibling.click();
  const picked = (/** @type {any} */ event) => {
    act.attach(chat, [...event.currentTarget.files]);
    event.currentTarget.value = "";
    document.getElementById("message")?.focus();
  };
  return html`<button type="button" onClick=${pick}>Attach</button>
    <input type="file" multiple hidden onChange=${picked} />`;
}

/** @param {import("../state.js").Attached} file @param {() => void} remove */
function attachment({ key, name, size, sent, id, problem }, remove) {
  const taken = () => {
    remove();
    document.getElementById("message")?.focus();
  };
  return html`<li key=${key} class=${problem ? "file bad" : "file"}>
    <span class="file-name">${name}</span> <span class="quiet">${bytes(size)}</span>
    ${!id && !problem && html`<progress max="1" value=${sent} aria-label=${`${name} goes up`}></progress>`}
    ${problem && html`<span class="file-problem" role="alert">${problem}</span>`}
    <button type="button" class="icon" onClick=${taken}><span aria-hidden="true">✕</span><span class="unseen">Remove ${name}</span></button>
  </li>`;
}
