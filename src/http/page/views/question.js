// A question that is open: its whole effect, its options, and a reason for a no.
// @ts-check
import { html } from "../html.js";
import { markdown } from "../markdown.js";
import { ago } from "../words.js";

/** @typedef {import("../../../core/page.ts").ApprovalRow} ApprovalRow */
/** @typedef {Pick<ApprovalRow, "kind" | "options">} Choice */

/** @param {Choice} question @param {string} id */
export function reasonField({ kind, options }, id) {
  if (kind === "text")
    return html`<label for=${`answer-${id}`}>Your answer</label>
      <textarea id=${`answer-${id}`} name="answer" rows="3" required></textarea>`;
  if (kind === "choice" || !options.some(({ key }) => key === "deny")) return null;
  return html`<label for=${`reason-${id}`}>A reason, if you deny <span class="quiet">(optional)</span></label>
    <input id=${`reason-${id}`} name="reason" maxlength="500" autocomplete="off" />`;
}

/** @param {Choice} question @param {boolean} busy */
export function optionButtons({ kind, options }, busy) {
  if (kind === "text") return html`<button class="primary" aria-disabled=${busy}>Answer</button>`;
  return html`<div class="buttons">${options.map(
    ({ key, label }, at) =>
      html`<button name="option" value=${key} aria-disabled=${busy}
        class=${key === "deny" ? "danger" : at === 0 ? "primary" : ""}>${label}</button>`,
  )}</div>`;
}

/** @param {ApprovalRow} row @param {import("../state.js").State} state @param {import("../actions.js").Act} act */
export function approval(row, state, act) {
  const answering = state.answers[row.id];
  const busy = answering?.state === "sending";
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    const { reason, answer } = event.currentTarget.elements;
    const option = event.submitter?.value || answer?.value || "";
    if (option && !busy) void act.decide(row.id, option, reason?.value ?? "");
  };
  return html`<li key=${row.id} class="question" id=${`question-${row.id}`}>
    <h3>${row.title}</h3>
    <p class="quiet">${`${row.whose ? `${row.whose}: ` : ""}${row.task || "A task"} · asked ${ago(row.createdAt, state.now)} · ends ${ago(row.expiresAt, state.now)}`}</p>
    <div class="effect">${markdown(row.body)}</div>
    <form class="decide" onSubmit=${submit}>
      ${reasonField(row, row.id)}
      ${optionButtons(row, busy)}
      <p class="note" role="status">${busy ? "Sending …" : (answering?.note ?? "")}</p>
    </form>
  </li>`;
}

/** @param {readonly ApprovalRow[] | null} rows @param {import("../state.js").State} state @param {import("../actions.js").Act} act */
export function approvals(rows, state, act) {
  if (!rows) return html`<p class="quiet">Loading …</p>`;
  if (rows.length === 0) return html`<p class="quiet">Nothing waits for an answer.</p>`;
  return html`<ul class="plain-list">${rows.map((row) => approval(row, state, act))}</ul>`;
}
