// The plain pages: before anyone is signed in, a code, and a question behind a link.
// @ts-check
import { html } from "../html.js";
import { markdown } from "../markdown.js";
import { optionButtons, reasonField } from "./question.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Act} Act */

/** @param {any} content */
function card(content) {
  return html`<main class="front" id="main"><div class="sheet">
    <p class="brand"><span class="mark" aria-hidden="true"></span>Sallyport</p>
    ${content}
  </div></main>`;
}

/** @param {State} state */
function problem({ problem }) {
  return html`<p class="problem" role="alert">${problem}</p>`;
}

/** @param {State} state */
export function loading(state) {
  return card(html`<h1>One moment</h1><p role="status">Opening …</p>${problem(state)}`);
}

/** @param {State} state */
export function stranger(state) {
  return card(html`
    <h1 id="stranger" tabindex="-1">You need a link</h1>
    ${problem(state)}
    <p>On the machine that runs Sallyport, type</p>
    <pre tabindex="0"><code>sallyport link</code></pre>
    <p>and open what it prints. A link works once, for five minutes.</p>
    <p class="quiet">In a clone of Sallyport that is <code>npm run -s sallyport -- link</code>, in its folder.</p>
    <p>You were given a code? <a href="/pair">Enter it here.</a></p>
  `);
}

/** @param {State} state @param {Act} act */
export function pair(state, act) {
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    void act.pair(event.currentTarget.elements.code.value);
  };
  return card(html`
    <h1>Come in with a code</h1>
    <p>It makes this browser yours. You get a code from whoever runs this Sallyport.</p>
    <form onSubmit=${submit}>
      <label for="code">Code</label>
      <input id="code" name="code" required autocomplete="one-time-code" autocapitalize="characters"
        spellcheck="false" placeholder="XXXX-XXXX" maxlength="40" aria-describedby="pair-problem" />
      <div id="pair-problem">${problem(state)}</div>
      <button class="primary" aria-disabled=${state.busy}>${state.busy ? "Checking …" : "Come in"}</button>
    </form>
  `);
}

/** @param {State} state @param {Act} act */
export function hitl(state, act) {
  const question = state.hitl;
  if (state.standing === "loading") return loading(state);
  if (!question)
    return card(html`<h1>This link opens nothing</h1>${problem(state)}
      <p>It was used, has run out, or was never given. Answer in the chat that asked.</p>`);
  return card(html`
    <h1 tabindex="-1" id="question" data-holds>${question.title}</h1>
    <p class="quiet">${question.state === "pending" ? `You answer as ${question.who}.` : `For ${question.who}.`}</p>
    <div class="effect">${markdown(question.body)}</div>
    ${problem(state)}
    ${question.state === "pending" ? asked(state, act) : ended(question)}
  `);
}

/** @param {State} state @param {Act} act */
function asked(state, act) {
  const question = /** @type {import("../../../core/page.ts").Hitl} */ (state.hitl);
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    const { reason, answer } = event.currentTarget.elements;
    const option = event.submitter?.value || answer?.value || "";
    const token = decodeURIComponent(location.pathname.slice("/hitl/".length));
    if (option) void act.decideByLink(token, option, reason?.value ?? "");
  };
  return html`<form class="decide" id="decide" onSubmit=${submit} data-holds tabindex="-1">
    ${reasonField(question, "hitl")}
    ${optionButtons(question, state.busy)}
  </form>`;
}

/** @param {import("../../../core/page.ts").Hitl} question */
function ended({ state, outcome }) {
  return html`<div class="outcome" role="status">
    <p class="quiet">${state === "answered" ? "Answered" : "No longer open"}</p>
    ${markdown(outcome)}
  </div>`;
}
