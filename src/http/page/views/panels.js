// Panels over the chat: tasks, open questions, and who one is. Esc closes them, and the focus goes back to where it was.
// @ts-check
import { html } from "../html.js";
import { ago, isOpen, taskWords } from "../words.js";
import { approvals } from "./question.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */

const titles = { tasks: "Tasks", approvals: "Approvals", me: "Who am I" };

/** @param {State} state @param {Act} act */
export function panel(state, act) {
  const name = state.panel;
  if (!name) return null;
  return html`<dialog key=${name} class="panel" ref=${openModal} onClose=${act.hide} onClick=${closeOutside} aria-labelledby="panel-title">
    <div class="panel-inner" id="panel-body" tabindex="-1" data-holds>
      <header class="panel-head">
        <h2 id="panel-title" tabindex="-1" data-holds autofocus>${titles[name]}</h2>
        <button class="icon" onClick=${close}><span aria-hidden="true">✕</span><span class="unseen">Close</span></button>
      </header>
      ${name === "tasks" && tasks(state.tasks, state, act)}
      ${name === "approvals" && approvals(state.approvals, state, act)}
      ${name === "me" && me(state, act)}
    </div>
  </dialog>`;
}

/** @param {HTMLDialogElement | null} dialog */
function openModal(dialog) {
  if (dialog && !dialog.open) dialog.showModal();
}

/** @param {any} event */
function close(event) {
  event.currentTarget.closest("dialog").close();
}

/** A click on what lies behind. @param {any} event */
function closeOutside(event) {
  if (event.target === event.currentTarget) event.currentTarget.close();
}

/** @param {readonly import("../../../core/page.ts").TaskRow[] | null} rows @param {State} state @param {Act} act */
export function tasks(rows, state, act) {
  if (!rows) return html`<p class="quiet">Loading …</p>`;
  if (rows.length === 0) return html`<p class="quiet">No tasks yet.</p>`;
  return html`<ul class="plain-list tasks">${rows.map(
    (row) => html`<li key=${row.id} class="task" id=${`task-${row.id}`} tabindex="-1" data-holds>
      <p class="task-title">${row.title || "Without a title"}</p>
      <p class="quiet"><span class=${`state ${row.state}`}>${taskWords[row.state]}</span>${[
        row.whose,
        ago(row.updatedAt, state.now),
        row.reason,
      ]
        .filter(Boolean)
        .map((each) => ` · ${each}`)}</p>
      ${isOpen(row.state) && html`<button onClick=${() => act.stopTask(row.id)}>Stop<span class="unseen"> ${row.title}</span></button>`}
    </li>`,
  )}</ul>`;
}

/** @param {State} state @param {Act} act */
function me({ me, now }, act) {
  if (!me) return null;
  return html`<dl class="facts">
      <div><dt>Name</dt><dd>${me.name}</dd></div>
      <div><dt>Role</dt><dd>${me.role}${me.operator ? ", operator" : ""}</dd></div>
      <div><dt>Agent</dt><dd>${me.agent.name}${me.agent.asks ? "" : " (never asks)"}</dd></div>
      <div><dt>Sandbox</dt><dd>${me.sandbox}</dd></div>
      <div><dt>This session ends</dt><dd>${me.expiresAt === null ? "never" : ago(me.expiresAt, now)}</dd></div>
    </dl>
    <div class="buttons">
      ${me.operator && html`<a class="button" href="/operator">Operator’s page</a>`}
      <button class="danger" onClick=${act.signOut}>Sign out</button>
    </div>`;
}
