// The operator's page: what runs, who may do what, and what happened. It reads and answers; it grants nothing.
// @ts-check
import { html } from "../html.js";
import { ago, clock } from "../words.js";
import { tasks } from "./panels.js";
import { approvals } from "./question.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */
/** @typedef {import("../../../core/page.ts").Operator} Operator */

/** @param {State} state @param {Act} act */
export function operatorPage(state, act) {
  const all = state.operator;
  return html`<div class="operator">
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar">
      <a class="button" href="/">Chat</a>
      <div class="bar-title"><h1>Operator</h1>
        <p class="quiet">${all ? `${all.running} running, ${all.queued} waiting` : ""}</p></div>
      <p class="line" role="status">${{ open: "live", opening: "opening", lost: "connection lost", over: "session over" }[state.line]}</p>
    </header>
    <main id="main" tabindex="-1" data-holds>
      <div role="alert">${state.problem && html`<p class="banner bad">${state.problem} <button onClick=${act.dismiss}>Close</button></p>`}</div>
      ${!state.me?.operator && html`<p class="banner">This page needs a link that was made on the machine: <code>sallyport link</code></p>`}
      ${all && sections(all, state, act)}
    </main>
  </div>`;
}

/** @param {Operator} all @param {State} state @param {Act} act */
function sections(all, state, act) {
  return html`
    ${section("Open questions", approvals(all.approvals, state, act))}
    ${section("Listeners", listeners(all.listeners, state.now))}
    ${section("Tasks", tasks(all.tasks, state, act))}
    ${section("Pairings", pairings(all.pairings, state.now))}
    ${section("Budgets", budgets(all.budgets, state.now))}
    ${section("Audit", audit(all.audit, state.now))}`;
}

/** @param {string} title @param {any} content */
function section(title, content) {
  return html`<section aria-label=${title} class="block"><h2>${title}</h2>${content}</section>`;
}

/** @param {string} name @param {readonly string[]} head @param {readonly any[]} rows */
function table(name, head, rows) {
  if (rows.length === 0) return html`<p class="quiet">None.</p>`;
  return html`<div class="wide" role="group" aria-label=${name} tabindex="0"><table>
    <thead><tr>${head.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((/** @type {any} */ cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** @param {Operator["listeners"]} rows @param {number} now */
function listeners(rows, now) {
  const when = (/** @type {number | undefined} */ at) =>
    at === undefined ? "never" : ago(at, now);
  return table(
    "Listeners",
    ["Listener", "Channel", "State", "Last event", "Last contact", "Last error"],
    rows.map(({ id, channel, health }) => [
      id,
      channel,
      html`<span class=${`state ${health.state}`}>${health.state}</span>`,
      when(health.lastEvent),
      when(health.lastContact),
      health.lastError ?? "",
    ]),
  );
}

/** @param {Operator["pairings"]} rows @param {number} now */
function pairings(rows, now) {
  return table(
    "Pairings",
    ["Name", "Role", "Kind", "Accounts", "Browsers", "Last task"],
    rows.map((row) => [
      row.name,
      row.role,
      row.kind,
      row.accounts.map(
        ({ listener, name, account }) => html`<div>${listener}: ${name || account}</div>`,
      ),
      row.sessions,
      row.lastTaskAt === null ? "never" : ago(row.lastTaskAt, now),
    ]),
  );
}

/** @param {Operator["budgets"]} rows @param {number} now */
function budgets(rows, now) {
  return table(
    "Budgets",
    ["Who", "Used", "Of", "Until"],
    rows.map(({ who, used, of, until }) => [who, used, of, clock(until, now)]),
  );
}

/** @param {Operator["audit"]} rows @param {number} now */
function audit(rows, now) {
  return table(
    "Audit",
    ["When", "Who", "Where", "What", "On", "Outcome", "Why"],
    rows.map((row) => [
      clock(row.at, now),
      row.name,
      row.place,
      row.action,
      row.target,
      row.outcome,
      row.why,
    ]),
  );
}
